import BleCore
import EdgeAgent
import Frames
import Profiles

/// Profiles of files, with packets for them: the text of a file up to a zero, then what its devices send and what
/// its commands are told.
enum ProfileFuzz {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var input = Input(bytes)
        let profile: Profile
        do throws(ProfileProblems) {
            profile = try ProfileParser.parse(input.part(), file: "f")
        } catch {
            // Whatever is wrong has to be told of as text.
            for problem in error.problems { _ = problem.description }
            return
        }
        var reader = AdvertisementReader(library: ProfileLibrary([profile]), keys: DecoderFuzz.keys)
        var told: [DecodedValue] = []
        var names = KeptProfiles.Names()
        var now = Duration.zero
        while !input.isEmpty {
            let kind = input.byte()
            now += .milliseconds(Int(kind) * 100)
            if kind & 1 != 0, !profile.commands.isEmpty {
                command(input.choice(profile.commands), &input)
                continue
            }
            guard !profile.sources.isEmpty else { continue }
            let source = input.choice(profile.sources)
            let bytes = input.bytes(Int(input.byte()))
            let reading =
                source.isAdvertised
                ? reader.read(
                    DecoderFuzz.advertisement(from: kind & 2 != 0, source.place, bytes),
                    boundTo: kind & 4 != 0 ? profile.id : nil,
                    at: now
                )
                : source.read(bytes, of: profile)
            DecoderFuzz.check(reading)
            told = reading.values
            for value in reading.values { _ = names.add(value: value.name) }
            for event in reading.events { _ = names.add(event: event.fullName) }
        }
        show(profile, names, told)
    }

    /// A command with what somebody sends for its arguments, and the answer to it.
    private static func command(_ command: ProfileCommand, _ input: inout Input) {
        do throws(ArgumentProblems) {
            let arguments: [String: ParsedValue]
            if input.byte() & 1 != 0 {
                arguments = try command.arguments(ofBare: String(decoding: input.part(), as: UTF8.self))
            } else {
                arguments = Dictionary(
                    command.arguments.map {
                        ($0.name, $0.value(ofBare: String(decoding: input.part(), as: UTF8.self)))
                    },
                    uniquingKeysWith: { first, _ in first }
                )
            }
            switch try command.prepared(with: arguments) {
            case .transact(let rules): TransactFuzz.exchange(rules, &input)
            case .read(_, let fields):
                let answer = input.bytes(Int(input.byte()))
                for field in fields {
                    do throws(FrameFailure) { _ = try field.read(answer) } catch {
                        // An answer that is too short has a code of its own.
                    }
                }
            }
        } catch {
            // One refused without a word is the finding.
            guard !error.problems.isEmpty else { fatalError("arguments refused without a word") }
        }
    }

    /// What Home Assistant is shown has to be JSON too.
    private static func show(_ profile: Profile, _ names: KeptProfiles.Names, _ told: [DecodedValue]) {
        var device = DisplayedDevice(address: DecoderFuzz.address, name: "Sensor")
        device.add([profile], told: names, told)
        let announcement = DeviceAnnouncement(
            device,
            target: DeviceTarget(address: DecoderFuzz.address, name: .address(DecoderFuzz.address)),
            topics: CommandFuzz.tree,
            identities: HomeIdentities(discoveryPrefix: "homeassistant", node: "gw")
        )
        DecoderFuzz.isJSON(announcement.encode())
    }
}
