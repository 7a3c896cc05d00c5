package import BleCore
internal import Frames

/// The keys of devices whose packets are encrypted, as a file lists them.
///
/// A line each: the address and the 32 hexadecimal digits of the key. What follows a `#` is a comment.
///
/// ```
/// # the sensor in the cellar
/// A4:C1:38:8D:18:B2  231d39c1d7cc1ab1aee224cd096db932
/// ```
package struct BindKeys: Sendable, Equatable {
    /// How many there may be.
    package static let limit = 4096

    private var keys: [DeviceAddress: [UInt8]]

    /// The keys of 16 bytes; others are left out.
    package init(_ keys: [DeviceAddress: [UInt8]] = [:]) { self.keys = keys.filter { $0.value.count == 16 } }

    package subscript(device: DeviceAddress) -> [UInt8]? { keys[device] }

    package var count: Int { keys.count }

    /// The devices that have one.
    package var devices: [DeviceAddress] { keys.keys.sorted() }

    /// Why a file's keys cannot be used; says nothing of the keys.
    package enum Problem: Error, Equatable, Sendable {
        /// A system call failed with this `errno`.
        case system(Int32)
        case notRegular
        /// Every user of the machine may read or change it.
        case openToAll
        case tooLarge
        /// More than `limit` keys.
        case tooMany
        /// A line that is no key, counted from 1, and what is wrong.
        case line(Int, String)
    }

    /// Reads the text of a file.
    ///
    /// - Throws: the problem of the first line that has one.
    package static func parse(_ text: [UInt8]) throws(Problem) -> BindKeys {
        guard let text = String(validating: text, as: UTF8.self) else { throw .line(1, "is not UTF-8") }
        var keys: [DeviceAddress: [UInt8]] = [:]
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
            if words.isEmpty { continue }
            guard words.count == 2 else { throw .line(index + 1, "needs an address and a key") }
            guard let address = DeviceAddress(words[0]) else {
                throw .line(index + 1, "does not begin with an address")
            }
            guard words[1].utf8.count == 32, let key = ProfileSection.bytes(String(words[1])), key.count == 16 else {
                throw .line(index + 1, "has a key that is not 32 hexadecimal digits")
            }
            guard keys.updateValue(key, forKey: address) == nil else {
                throw .line(index + 1, "names an address again")
            }
            guard keys.count <= limit else { throw .tooMany }
        }
        return BindKeys(keys)
    }
}

extension BindKeys: CustomStringConvertible, CustomReflectable {
    /// How many there are: a key is never shown.
    package var description: String { "\(keys.count) keys" }

    package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

extension BindKeys.Problem: CustomStringConvertible {
    /// What is wrong, to be put behind the file's name.
    package var description: String {
        switch self {
        case .system(let code): "cannot be read: \(RegularFile.text(code))"
        case .notRegular: "is not a regular file"
        case .openToAll: "is open to every user of the machine: let its owner and group alone read it"
        case .tooLarge: "is larger than \(BindKeys.fileLimit) bytes"
        case .tooMany: "has more than \(BindKeys.limit) keys"
        case .line(let line, let text): "line \(line) \(text)"
        }
    }
}
