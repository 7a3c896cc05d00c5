internal import DBus

/// Finds who takes a call: the generic interfaces here, the others by their objects; what fits nobody is answered as
/// libdbus does.
struct CallDispatcher {
    let tree: ObjectTree

    func dispatch(_ call: IncomingCall) {
        if call.interface == "org.freedesktop.DBus.Peer" {
            if call.member == "Ping" { call.reply() } else { call.failUnknown(objectExists: true) }
            return
        }
        guard let object = tree.object(at: call.path) else { return dispatchWithoutObject(call) }
        guard let interface = object.interface(named: call.interface), declares(interface, call) else {
            return call.failUnknown(objectExists: true)
        }
        switch (call.interface, call.member) {
        case (BusNames.introspectable, _): call.reply(.string(Introspection.xml(of: object)))
        case (BusNames.objectManager, _): call.reply(tree.managedObjects())
        case (BusNames.properties, "Get"): get(call, object)
        case (BusNames.properties, "GetAll"): getAll(call, object)
        case (BusNames.properties, _): set(call, object)
        default: interface.handle(call)
        }
    }

    private func dispatchWithoutObject(_ call: IncomingCall) {
        if call.interface == BusNames.introspectable, call.member == "Introspect",
            let xml = Introspection.xml(of: call.path, in: tree)
        {
            call.reply(.string(xml))
        } else {
            call.failUnknown(objectExists: false)
        }
    }

    /// A call with another signature than the declared one is for gdbus a call of another method.
    private func declares(_ interface: any SimulatedInterface, _ call: IncomingCall) -> Bool {
        interface.description.methods.contains {
            $0.name == call.member && $0.inputSignature == call.message.signature
        }
    }

    private func get(_ call: IncomingCall, _ object: SimulatedObject) {
        guard let (interface, name) = target(call, object) else { return }
        let known = interface.description.properties.contains { $0.name == name }
        guard known, let value = interface.value(of: name) else {
            return call.fail(Self.invalid("No such property '\(name)'"))
        }
        call.reply(.variant(value))
    }

    private func getAll(_ call: IncomingCall, _ object: SimulatedObject) {
        guard let (interface, _) = target(call, object) else { return }
        call.reply(.properties(object.properties(of: interface)))
    }

    private func set(_ call: IncomingCall, _ object: SimulatedObject) {
        guard let (interface, name) = target(call, object) else { return }
        guard let property = interface.description.properties.first(where: { $0.name == name }) else {
            return call.fail(Self.error("UnknownProperty", "No such property '\(name)'"))
        }
        guard property.isWritable else {
            return call.fail(Self.error("PropertyReadOnly", "Property '\(name)' is not writable"))
        }
        guard interface.value(of: name) != nil else {
            return call.fail(Self.error("UnknownProperty", "No such property '\(name)'"))
        }
        guard let value = Self.variantArgument(of: call.message), value.signature == property.signature else {
            return call.fail(Self.error("InvalidSignature", "Invalid signature for '\(name)'"))
        }
        interface.set(name, to: value, call)
    }

    /// The interface and, where there is one, the property that the arguments name.
    ///
    /// Answers the call when it has none.
    private func target(_ call: IncomingCall, _ object: SimulatedObject) -> (any SimulatedInterface, String)? {
        do throws(DBusFailure) {
            var reader = call.message.reader()
            let name = try reader.string()
            let property = reader.typeCode == UInt8(ascii: "s") ? try reader.string() : ""
            guard let interface = object.interface(named: name) else {
                call.fail(Self.invalid("No such interface '\(name)'"))
                return nil
            }
            return (interface, property)
        } catch {
            call.failUnknown(objectExists: true)
            return nil
        }
    }

    private static func variantArgument(of message: DBusMessage) -> DBusValue? {
        do throws(DBusFailure) {
            var reader = message.reader()
            reader.skip()
            reader.skip()
            guard case .variant(let value) = try reader.value() else { return nil }
            return value
        } catch {
            return nil
        }
    }

    private static func invalid(_ text: String) -> BluezError { error("InvalidArgs", text) }

    private static func error(_ name: String, _ text: String) -> BluezError {
        BluezError(name: "org.freedesktop.DBus.Error." + name, message: text)
    }
}
