import BlueZSimulator
import EdgeAgent

/// Configuration files.
enum ConfigurationFuzz {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var reader = ConfigurationReader(defaultGateway: "gw")
        reader.read(yaml: Array(bytes), path: "f")
        reader.check()
        // Whatever is wrong has to be told of as text.
        for problem in reader.problems { _ = problem.description }
    }
}

/// Scenario files of the simulator.
enum ScenarioFuzz {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        do throws(ScenarioProblems) {
            _ = try Scenario.parse(Array(bytes))
        } catch {
            // Whatever is wrong has to be told of as text.
            _ = "\(error)"
        }
    }
}

/// What the journal may hold after something else has written to it: two blobs, the first behind its length.
enum JournalFuzz {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var input = Input(bytes)
        let first = input.bytes(Int(input.byte()))
        let second = input.remainder()
        command(first, second)
        publication(first, second)
    }

    private static func command(_ fingerprint: [UInt8], _ request: [UInt8]) {
        do throws(BlobReader.Failure) {
            let stored = try StoredCommand(fingerprint: fingerprint, request: request, nowMs: 0, now: .seconds(1))
            guard stored.sent.isSame(asKept: stored.sent.fingerprint) else {
                fatalError("a command is not the one that it was kept as")  // this is the finding
            }
            CommandFuzz.take(stored.message)
        } catch {
            // Bytes that are none of ours.
        }
    }

    private static func publication(_ head: [UInt8], _ payload: [UInt8]) {
        do throws(BlobReader.Failure) {
            let message = try StoredPublication.publication(head: head, payload: payload)
            let again = try StoredPublication.publication(head: StoredPublication.head(of: message), payload: payload)
            guard message == again else { fatalError("a message reads back as another") }  // this is the finding
        } catch {
            // Bytes that are none of ours.
        }
    }
}
