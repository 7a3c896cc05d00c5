import BleCore
import EdgeAgent
import Profiles
import Testing

/// What profiles show of a device.
@Suite(.timeLimit(.minutes(10)))
struct DisplayedProfileTests {
    private static let lamp = """
        profile: lamp
        title: Lamp
        manufacturer: Nobody
        sources:
          - characteristic: {service: fff0, uuid: fff1, atConnect: true}
            fields:
              - {name: power, type: bool, display: {component: switch}}
              - {name: level, type: u8, unit: "%", display: {component: number, name: Level, step: 5}}
              - {name: heat, type: u8, unit: "°C", display: {deviceClass: temperature, stateClass: measurement}}
              - {name: raw, type: u8, display: none}
        commands:
          - {name: on, write: {service: fff0, uuid: fff2}, frame: "{v}", args: [{name: v, type: bool}], sets: power}
          - {name: dim, write: {service: fff0, uuid: fff3}, frame: "{v}",
             args: [{name: v, type: u8, min: 10, max: 90}], sets: level}
          - {name: identify, title: Blink, write: {service: fff0, uuid: fff4}, frame: "01", display: {component: button}}
        """

    private func names(_ values: [String], events: [String] = []) -> KeptProfiles.Names {
        var names = KeptProfiles.Names()
        for value in values { _ = names.add(value: value) }
        for event in events { _ = names.add(event: event) }
        return names
    }

    private func device(_ profile: Profile, told names: KeptProfiles.Names = KeptProfiles.Names()) throws
        -> DisplayedDevice
    {
        let address = try #require(DeviceAddress("a1b2c3d4e5f6"))
        var device = DisplayedDevice(address: address, name: "Thing")
        device.add([profile], told: names, [])
        return device
    }

    @Test func `what can be operated shows at once, what is only told when it was told`() throws {
        let profile = try ProfileParser.parse(Array(Self.lamp.utf8))
        let untold = try device(profile)
        #expect(untold.values.map(\.name) == ["power", "level", "identify"])
        #expect(untold.manufacturer == "Nobody" && untold.model == "Lamp")
        #expect(untold.values.map(\.kind) == [.switch, .number(10...90, step: 5), .button])
        #expect(untold.values.map(\.title) == ["Power", "Level", "Blink"])
        let told = try device(profile, told: names(["power", "heat", "raw", "unknown"]))
        #expect(told.values.map(\.name) == ["power", "level", "heat", "identify"])
        #expect(told.values[2].unit == "°C" && told.values[2].stateClass == .measurement)
        #expect(told.values[2].title == nil)
    }

    @Test func `several of one kind have numbers, and events their kinds`() throws {
        let profile = try #require(ProfileLibrary.builtIn()["bthome"])
        let names = names(["temperature_1", "temperature_2"], events: ["button", "button_2"])
        let shown = try device(profile, told: names)
        #expect(shown.values.map(\.name) == ["temperature_1", "temperature_2", "button", "button_2"])
        #expect(shown.values.map(\.title).compactMap(\.self).suffix(1) == ["Button 2"])
        guard case .event(let kinds) = shown.values[2].kind else {
            Issue.record("no event")
            return
        }
        #expect(kinds.contains("press"))
    }

    /// All that any built-in profile may tell.
    @Test func `everything that a built-in profile shows is taken by Home Assistant`() throws {
        let topics = TopicTree(gateway: try #require(GatewayID("gw")))
        let address = try #require(DeviceAddress("a1b2c3d4e5f6"))
        for profile in ProfileLibrary.builtIn().profiles {
            let names = names(profile.values.map(\.name), events: profile.events.map(\.name))
            let announcement = DeviceAnnouncement(
                try device(profile, told: names),
                target: DeviceTarget(address: address, name: .address(address)),
                topics: topics,
                identities: HomeIdentities(discoveryPrefix: "homeassistant", node: "gw")
            )
            for component in announcement.components {
                #expect(component.problems == [], "\(profile.id) \(component.key)")
            }
        }
    }
}
