internal import DBus

/// What the bus or bluetoothd said when it refused something: an error's name and its text.
package struct BusFault: Sendable, Equatable {
    /// Empty for a fault that has no name on the bus.
    package let name: String
    package let message: String

    package init(name: String, message: String) {
        self.name = name
        self.message = message
    }

    init(_ failure: DBusFailure) {
        switch failure {
        case .connect(let name, let message), .error(let name, let message):
            self.init(name: name, message: message)
        default: self.init(name: "", message: failure.description)
        }
    }
}
