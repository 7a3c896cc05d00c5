internal import DBus

/// The options of reading and writing a value.
///
/// Names are compared without regard to case, unknown ones ignored.
struct CallOptions {
    var offset = 0
    var type: String?

    /// - Throws: `BluezError.invalidArguments` for an option of the wrong type.
    init(_ value: DBusValue, readsType: Bool) throws(BluezError) {
        guard case .dictionary(_, _, let entries) = value else { throw .invalidArguments }
        for entry in entries {
            guard case .string(let key) = entry.key, case .variant(let content) = entry.value else { continue }
            switch key.lowercased() {
            case "offset":
                guard case .uint16(let offset) = content else { throw .invalidArguments }
                self.offset = Int(offset)
            case "type" where readsType:
                guard case .string(let type) = content else { throw .invalidArguments }
                self.type = type.lowercased()
            default: break
            }
        }
    }
}

extension IncomingCall {
    /// The arguments as values; empty when they cannot be read.
    var arguments: [DBusValue] { message.values }
}

extension DBusMessage {
    /// The arguments as values; those before the first that cannot be read.
    var values: [DBusValue] {
        var reader = reader()
        var values: [DBusValue] = []
        do throws(DBusFailure) {
            while reader.hasNext() { values.append(try reader.value()) }
        } catch {
            // A type that the codec does not know (a file descriptor): what came before it is all there is to see.
            return values
        }
        return values
    }
}
