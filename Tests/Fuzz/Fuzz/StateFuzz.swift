import BleCore
import EdgeAgent
import Profiles

/// Files that the agent reads beside its configuration: what it has written down itself, and keys.
enum StateFuzz {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var input = Input(bytes)
        let kind = input.byte()
        let text = input.remainder()
        do {
            switch kind % 8 {
            case 0: try DurableSubscriptions.decode(text, path: "f").check()
            case 1: try DurableScans.decode(text, path: "f").check()
            case 2: try KeptLinks.decode(text, path: "f").check()
            case 3: try KeptProfiles.decode(text, path: "f").check()
            case 4: try AnnouncedDevices.decode(text, path: "f").check()
            case 5: _ = OwnLinks.decode(text)
            case 6: _ = try BindKeys.parse(text)
            default: _ = try IdentityKeys.parse(text)
            }
        } catch {
            // Whatever is wrong has to be told of as text.
            _ = "\(error)"
        }
    }
}

/// The content of a file of the state directory.
private protocol StateContent: Equatable {
    func encode() -> [UInt8]
    static func decode(_ bytes: [UInt8], path: String) throws(StateFailure) -> Self
}

extension StateContent {
    /// What was read is written out and has to read back as the same.
    func check() {
        do throws(StateFailure) {
            let isSame = try Self.decode(encode(), path: "f") == self
            guard isSame else { fatalError("reads back as another") }  // this is the finding
        } catch {
            fatalError("what is written cannot be read: \(error)")  // this is the finding
        }
    }
}

extension DurableSubscriptions: StateContent {}
extension DurableScans: StateContent {}
extension KeptLinks: StateContent {}
extension KeptProfiles: StateContent {}
extension AnnouncedDevices: StateContent {}
