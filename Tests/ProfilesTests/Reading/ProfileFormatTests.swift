import BleCore
import Frames
import PaceSupport
import Profiles
import Testing

@Suite(.timeLimit(.minutes(10))) struct ProfileFormatTests {
    @Test func `a profile with every key is read`() throws {
        let profile = try Profile(yaml: ProfileSamples.full)
        #expect(profile.id == "acme-heater" && profile.title == "ACME heater" && profile.isFallback && profile.isShared)
        #expect(profile.interval == .seconds(60) && profile.encryption == .bthome2)
        #expect(profile.counter == PacketCounter(value: "packet", bits: 16))
        #expect(profile.link == ProfileLink(policy: .keep, idle: .seconds(5), maxAttempts: 3, rssiMin: -90))
        #expect(profile.match.count == 2 && profile.match[0].addresses == ["a4c138", "c0"])
        #expect(profile.match[0].manufacturers[1].key == nil && profile.match[1].manufacturers[0].key == 0x0499)
        #expect(profile.match[0].manufacturers[0].shape.lengths == [6...6, 8...65_535])
        #expect(profile.sources.count == 5)
        #expect(profile.events.map(\.name) == ["button", "dial"])
        #expect(profile.events[0].types == ["press", "hold"] && profile.events[0].display?.component == .event)
        let names = profile.values.map(\.name)
        #expect(
            names == [
                "packet", "temperature", "light", "series", "battery", "note", "seen", "id", "label", "target", "mode",
                "level", "raw",
            ]
        )
        let temperature = try #require(profile.value(named: "temperature"))
        #expect(temperature.unit == "°C" && temperature.isAdvertised && temperature.kind == .number)
        #expect(temperature.display?.deviceClass == "temperature" && temperature.display?.isEnabled == false)
        #expect(profile.value(named: "packet")?.isState == false && profile.value(named: "packet")?.display == nil)
        #expect(profile.value(named: "light")?.display == nil && profile.value(named: "note")?.display != nil)
        #expect(
            profile.value(named: "mode")?.options == ["off", "heat"] && profile.value(named: "mode")?.kind == .text
        )
        #expect(profile.value(named: "battery_2")?.name == "battery" && profile.value(named: "note_2") == nil)
        #expect(profile.command(forSetting: "target")?.name == "set-target")
        #expect(profile.command(forSetting: "restart")?.display?.component == .button)
        #expect(profile.command(named: "version")?.isReadOnly == true)
    }

    @Test(arguments: WrongProfile.all) func `what is wrong is told with its line and key`(wrong: WrongProfile) {
        let thrown = #expect(throws: ProfileProblems.self) {
            try ProfileParser.parse(Array(wrong.text.utf8), file: "f.yaml")
        }
        let found = thrown?.problems.contains {
            $0.line == wrong.line && $0.key == wrong.key && $0.message.hasPrefix(wrong.message)
        }
        #expect(found == true, "\(thrown?.problems.map(\.description) ?? [])")
    }

    @Test func `everything that is wrong is told at once, by line`() {
        let text = """
            profile: Bad
            title: ""
            sources:
              - {name: true, fields: [{name: a, type: u9}]}
            unknown: 1
            """
        let thrown = #expect(throws: ProfileProblems.self) { try ProfileParser.parse(Array(text.utf8), file: "x.yaml") }
        #expect(thrown?.problems.map(\.line) == [1, 2, 4, 5])
        #expect(thrown?.problems.first?.description.hasPrefix("x.yaml:1: profile: expected an id") == true)
    }

    @Test func `a file that is all wrong ends after a hundred problems`() {
        let text = "profile: p\ntitle: P\n" + (0..<500).map { "k\($0): 1\n" }.joined()
        let thrown = #expect(throws: ProfileProblems.self) { try ProfileParser.parse(Array(text.utf8)) }
        #expect(thrown?.problems.count == ProfileProblems.limit)
    }

    @Test func `problems hold no control characters, whatever the file has`() {
        let text =
            "profile: \"a\\e[31m\\nb\"\ntitle: P\n\"k\\e[0m\": 1\nsources: [{name: true, fields: [{name: a, type: u8}]}]"
        let thrown = #expect(throws: ProfileProblems.self) { try ProfileParser.parse(Array(text.utf8)) }
        for problem in thrown?.problems ?? [] {
            #expect(problem.description.unicodeScalars.allSatisfy { $0.value > 0x1F && $0.value != 0x7F })
            #expect(problem.description.utf8.count < 400)
        }
        #expect(thrown?.problems.count == 2)
    }

    @Test(.apart) func `random changes of a profile are told or read, and never trap`() {
        var random = SeededRandom(seed: 10)
        let bytes = Array(ProfileSamples.full.utf8)
        for _ in 0..<Rounds.of(300) {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let place = Int.random(in: 0..<changed.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: changed.remove(at: place)
                case 1: changed[place] = UInt8.random(in: 0...255, using: &random)
                default: changed.insert(bytes[Int.random(in: 0..<bytes.count, using: &random)], at: place)
                }
            }
            do throws(ProfileProblems) {
                let profile = try ProfileParser.parse(changed)
                for source in profile.sources { _ = source.read(Array(changed.prefix(20)), of: profile) }
            } catch {
                #expect(!error.problems.isEmpty)
            }
        }
    }
}
