internal import DBus

/// `org.bluez.Simulator1` on `/org/bluez/simulator`, by which tests in any language command the simulator.
///
/// The object is not listed by `GetManagedObjects`: bluetoothd has none like it.
enum ControlInterface {
    static let path = ObjectPath("/org/bluez/simulator") ?? .root
    static let name = "org.bluez.Simulator1"

    static let table = InterfaceDescription(
        name,
        methods: [
            .init("Trigger", in: [.init("event", "s")]), .init("Perform", in: [.init("steps", "s")]),
            .init("AddFault", in: [.init("fault", "s")]), .init("RemoveFault", in: [.init("name", "s")]),
            .init("ClearFaults"), .init("Faults", out: [.init("applied", "a{su}")]),
            .init("Calls", in: [.init("since", "t")], out: [.init("lines", "as")]),
        ]
    )

    static let introspection = """
        <node>\(Introspection.xml(of: table))</node>
        """

    static func error(_ name: String, _ text: String) -> BluezError {
        BluezError(name: "\(self.name).Error.\(name)", message: text)
    }
}

extension Simulator {
    /// Answers a call to the control interface.
    func control(_ call: IncomingCall, _ tree: ObjectTree) {
        if call.interface == BusNames.introspectable, call.member == "Introspect" {
            return call.reply(.string(ControlInterface.introspection))
        }
        let method = ControlInterface.table.methods.first { $0.name == call.member }
        guard call.interface == ControlInterface.name, method?.inputSignature == call.message.signature else {
            return call.failUnknown(objectExists: true)
        }
        do {
            try carryOut(call)
        } catch let failure as ScenarioProblems {
            call.fail(ControlInterface.error("Invalid", failure.description))
        } catch {
            call.fail(ControlInterface.error("Unknown", "there is no \(call.arguments.first.map(CallLine.json) ?? "")"))
        }
    }

    private func carryOut(_ call: IncomingCall) throws {
        switch (call.member, call.arguments.first) {
        case ("Trigger", .string(let event)?): try trigger(event)
        case ("Perform", .string(let text)?): perform(try Scenario.parseSteps(Array(text.utf8)))
        case ("AddFault", .string(let text)?): addFault(try Scenario.parseFault(Array(text.utf8)))
        case ("RemoveFault", .string(let name)?):
            guard removeFault(name) else { throw Failure.unknownEvent(name) }
        case ("ClearFaults", _): clearFaults()
        case ("Faults", _): return call.reply(faultCounts)
        case ("Calls", .uint64(let since)?):
            let lines = log.calls.drop { $0.number <= since }.map { line(of: $0) }
            return call.reply(.strings(lines))
        default: return call.failUnknown(objectExists: true)
        }
        call.reply()
    }

    /// How many calls each fault that has a name was applied to.
    private var faultCounts: DBusValue {
        let entries = runner.faults.entries.compactMap { entry in
            entry.fault.name.map { DBusValue.Entry(.string($0), .uint32(UInt32(clamping: entry.applied))) }
        }
        return .dictionary(key: "s", value: "u", entries)
    }
}
