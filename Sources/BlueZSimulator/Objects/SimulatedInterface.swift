internal import DBus

/// One interface of one object: what it describes itself as, its properties and its methods.
protocol SimulatedInterface: AnyObject {
    var description: InterfaceDescription { get }

    /// A property's present value; nil while the object does not have it.
    func value(of property: String) -> DBusValue?

    /// Carries out a call whose member and signature the description lists, and answers it, now or later.
    func handle(_ call: IncomingCall)

    /// Sets a property that the description calls writable, with a value of its type, and answers the call.
    func set(_ property: String, to value: DBusValue, _ call: IncomingCall)
}

extension SimulatedInterface {
    func value(of property: String) -> DBusValue? { nil }
    func set(_ property: String, to value: DBusValue, _ call: IncomingCall) { call.fail(.notSupported) }
}

/// The fixed part of an interface, for introspection and for checking calls.
struct InterfaceDescription {
    struct Argument {
        let name: String
        let signature: String

        init(_ name: String, _ signature: String) {
            self.name = name
            self.signature = signature
        }
    }

    struct Method {
        let name: String
        let input: [Argument]
        let output: [Argument]

        init(_ name: String, in input: [Argument] = [], out output: [Argument] = []) {
            self.name = name
            self.input = input
            self.output = output
        }

        var inputSignature: String { input.map(\.signature).joined() }
    }

    struct Property {
        let name: String
        let signature: String
        let isWritable: Bool

        init(_ name: String, _ signature: String, writable: Bool = false) {
            self.name = name
            self.signature = signature
            isWritable = writable
        }
    }

    let name: String
    let methods: [Method]
    let signals: [Method]
    let properties: [Property]

    init(_ name: String, methods: [Method] = [], signals: [Method] = [], properties: [Property] = []) {
        self.name = name
        self.methods = methods
        self.signals = signals
        self.properties = properties
    }
}

/// An interface that is only listed: its methods are not part of the simulation.
final class ListedInterface: SimulatedInterface {
    let description: InterfaceDescription

    init(_ description: InterfaceDescription) { self.description = description }

    func handle(_ call: IncomingCall) { call.fail(.notSupported) }
}
