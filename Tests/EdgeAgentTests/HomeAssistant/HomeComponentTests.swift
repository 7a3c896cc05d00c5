import EdgeAgent
import Testing

/// What Home Assistant would refuse is found before.
@Suite(.timeLimit(.minutes(10)))
struct HomeComponentTests {
    /// A sound component of each kind.
    private static func sound(_ platform: HomePlatform) -> HomeComponent {
        var component = component("value", platform)
        switch platform {
        case .select: component.options = ["eco", "boost"]
        case .event: component.options = ["press"]
        case .number: component.range = 0...100
        default: break
        }
        return component
    }

    @Test(arguments: HomePlatform.allCases)
    func `a sound component of each kind has no problem, and writes what its kind needs`(platform: HomePlatform) throws
    {
        let component = Self.sound(platform)
        #expect(component.problems.isEmpty)
        let announcement = DeviceAnnouncement(topic: "t", identity: "gw_a", name: "A", components: [component])
        let root = try #require(try JSONReader(maxBytes: 10_000).read(announcement.encode()).object?["cmps"]?.object)
        let fields = try #require(root[component.member]?.object)
        #expect(fields["p"]?.string == platform.rawValue && fields["unique_id"]?.string == "gw_a_value")
        #expect((fields["stat_t"] != nil) == platform.isShown && (fields["cmd_t"] != nil) == platform.isOperated)
    }

    private static let wrong: [(HomePlatform, String, @Sendable (inout HomeComponent) -> Void)] = [
        (.sensor, "key", { $0.key = "A b" }),
        (.sensor, "state", { $0.state = nil }),
        (.button, "state", { $0.state = HomeComponent.Reading(topic: "x") }),
        (.switch, "state", { $0.state = nil }),
        (.switch, "command", { $0.commandTopic = nil }),
        (.sensor, "command", { $0.commandTopic = "x" }),
        (.switch, "topic", { $0.commandTopic = "x/#" }),
        (.switch, "payloads", { $0.payloads = .pressed("x") }),
        (.sensor, "deviceClass", { $0.deviceClass = "warmth" }),
        (.binarySensor, "deviceClass", { $0.deviceClass = "temperature" }),
        (.number, "deviceClass", { $0.deviceClass = "timestamp" }),
        (.text, "deviceClass", { $0.deviceClass = "switch" }),
        (.number, "stateClass", { $0.stateClass = .measurement }),
        (.switch, "unit", { $0.unit = "W" }),
        (.sensor, "unit", { ($0.deviceClass, $0.unit) = ("temperature", "C") }),
        (.sensor, "unit", { $0.deviceClass = "humidity" }),
        (.sensor, "unit", { ($0.deviceClass, $0.unit) = ("timestamp", "s") }),
        (.sensor, "stateClass", { ($0.deviceClass, $0.unit, $0.stateClass) = ("energy", "Wh", .measurement) }),
        (.sensor, "stateClass", { ($0.deviceClass, $0.options, $0.stateClass) = ("enum", ["a"], .total) }),
        (.sensor, "options", { $0.deviceClass = "enum" }),
        (.sensor, "options", { $0.options = ["a"] }),
        (.select, "options", { $0.options = [] }),
        (.select, "options", { $0.options = ["a", "a"] }),
        (.event, "options", { $0.options = [""] }),
        (.number, "range", { $0.range = nil }),
        (.number, "range", { $0.range = 1...1 }),
        (.number, "step", { $0.step = 0 }),
        (.number, "step", { $0.step = .nan }),
        (.sensor, "range", { $0.range = 0...1 }),
        (.text, "maximumLength", { $0.maximumLength = 256 }),
        (.sensor, "maximumLength", { $0.maximumLength = 5 }),
        (.binarySensor, "category", { $0.category = .config }),
        (.sensor, "icon", { $0.icon = "lamp" }),
        (.sensor, "precision", { $0.precision = 11 }),
        (.switch, "precision", { $0.precision = 1 }),
        (.switch, "expireAfter", { $0.expireAfter = 60 }),
        (.sensor, "expireAfter", { $0.expireAfter = 0 }),
        (
            .switch, "brightness",
            { $0.brightness = .init(state: .init(topic: "x"), commandTopic: "y", scale: 100) }
        ),
        (.light, "brightness", { $0.brightness = .init(state: .init(topic: "x"), commandTopic: "y", scale: 0) }),
    ]

    @Test(arguments: wrong.indices)
    func `what is wrong is named by its field`(_ index: Int) {
        let (platform, field, change) = Self.wrong[index]
        var component = Self.sound(platform)
        change(&component)
        #expect(component.problems.contains { $0.hasPrefix(field + ":") }, "\(component.problems)")
    }

    @Test func `the Greek letter in a unit stands for the sign`() {
        var component = component("value", .sensor)
        (component.deviceClass, component.unit) = ("pm25", "\u{3BC}g/m³")
        #expect(component.problems.isEmpty)
    }
}
