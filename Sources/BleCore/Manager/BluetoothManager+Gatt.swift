internal import DBus
internal import EventLoop

/// How a value is written.
public enum WriteMode: String, Sendable, CaseIterable {
    /// With response where the characteristic offers it, else without.
    case auto
    /// With response: the device acknowledges.
    case request
    /// Without response.
    case command
    /// Prepared and verified before it is executed.
    case reliable
}

/// What a write did.
public struct WriteOutcome: Sendable, Equatable {
    public let bytes: Int
    /// How many values were sent one after the other.
    public let packets: Int
    /// The device acknowledged; otherwise BlueZ took it and nobody can say more.
    public let isConfirmed: Bool
}

extension BluetoothManager {
    /// The services of a device, with a link made for it where there is none.
    package func discover(_ address: DeviceAddress, _ scope: OperationScope) async throws -> [GattService] {
        let path = try await ready(address, scope)
        scope.stage = .discover
        guard let record = tree.devices[path] else { throw removal(path, at: .discover) }
        return record.attributes.tree()
    }

    /// Reads a characteristic or a descriptor, from an offset in bytes.
    package func read(
        _ selector: AttributeSelector,
        of address: DeviceAddress,
        offset: Int = 0,
        _ scope: OperationScope
    ) async throws -> [UInt8] {
        try await onLink(address, scope) { path in
            try await offset > 0
                ? read(selector, below: path, from: offset, scope) : read(selector, below: path, offset: 0, scope)
        }
    }

    /// Reads from an offset, or all where the device gives a value from its beginning alone.
    private func read(
        _ selector: AttributeSelector,
        below path: ObjectPath,
        from offset: Int,
        _ scope: OperationScope
    ) async throws -> [UInt8] {
        do {
            return try await read(selector, below: path, offset: offset, scope)
        } catch let failure as BleFailure where failure.kind == .att(0x0B) {
            // "Attribute Not Long": the value fits into one packet (Core 5.4, Vol 3, Part F, 3.4.4.5).
            let whole = try await read(selector, below: path, offset: 0, scope)
            guard offset <= whole.count else {
                throw BleFailure(.att(0x07), at: .operate, detail: "the value has \(whole.count) bytes")
            }
            return Array(whole.dropFirst(offset))
        }
    }

    private func read(
        _ selector: AttributeSelector,
        below path: ObjectPath,
        offset: Int,
        _ scope: OperationScope
    ) async throws -> [UInt8] {
        let (message, attribute) = try beginRead(selector, below: path, offset: offset)
        let reply = try await operate(message, path, scope, changes: false) { outcome in
            self.readEnded(attribute, outcome, offset: offset)
        }
        return try value(in: reply)
    }

    /// The call that reads an attribute, and the attribute's object.
    @inline(never)
    private func beginRead(
        _ selector: AttributeSelector,
        below path: ObjectPath,
        offset: Int
    ) throws -> (DBusMessage, ObjectPath) {
        let target = try target(selector, of: path, needs: .read)
        let message = try link(try linked(path).address).calls.read(target, offset: offset)
        readsOut[target.path, default: 0] += 1
        notifiers[target.path]?.readBegins()
        return (message, target.path)
    }

    @inline(never)
    private func value(in reply: DBusMessage) throws(BleFailure) -> [UInt8] {
        var reader = reply.reader()
        do throws(DBusFailure) {
            return try reader.bytes()
        } catch {
            throw BleFailure(.bus, at: .operate, detail: "bluetoothd's answer holds no bytes: \(error)")
        }
    }

    private func readEnded(_ path: ObjectPath, _ outcome: DBusConnection.Outcome, offset: Int) {
        if let count = readsOut[path] { readsOut[path] = count > 1 ? count - 1 : nil }
        notifiers[path]?.readEnds(outcome, offset: max(0, offset))
    }

    /// Writes a value to a characteristic or a descriptor.
    ///
    /// `gap` is the pause between packets without response, for which BlueZ has no flow control.
    package func write(
        _ value: [UInt8],
        to selector: AttributeSelector,
        of address: DeviceAddress,
        mode: WriteMode = .auto,
        offset: Int = 0,
        lengths: (any PeripheralCommandLengthProtocol)? = nil,
        gap: Duration = .milliseconds(20),
        _ scope: OperationScope
    ) async throws -> WriteOutcome {
        try await onLink(address, scope) { path in
            let target = try target(selector, of: path, needs: [])
            let type = try target.writeType(mode)
            let packets = try target.packets(of: value, lengths, type)
            return try await write(packets, to: target, type, below: path, offset: offset, gap: gap, scope)
        }
    }

    func write(
        _ packets: [[UInt8]],
        to target: AttributeTarget,
        _ type: AttributeTarget.WriteType,
        below path: ObjectPath,
        offset: Int,
        gap: Duration,
        _ scope: OperationScope
    ) async throws -> WriteOutcome {
        let total = packets.reduce(0) { $0 + $1.count }
        let link = link(try linked(path).address)
        var done = 0
        for (index, packet) in packets.enumerated() {
            if index > 0, type == .command { try await pause(gap, scope) }
            let message = try link.calls.write(target)
                .append { (writer) throws(DBusFailure) in
                    try writer.append(bytes: packet)
                    var options: [(String, DBusValue)] = []
                    if target.interface == BluezNames.characteristic {
                        options.append(("type", .string(type.rawValue)))
                    }
                    if offset > 0 { options.append(("offset", .uint16(UInt16(clamping: offset)))) }
                    try writer.append(properties: options)
                }
            do {
                _ = try await operate(message, path, scope, changes: true)
            } catch let failure as BleFailure where done > 0 {
                var failure = failure
                failure.applied = .partly(bytes: done)
                throw failure
            }
            done += packet.count
            scope.applied = done < total ? .partly(bytes: done) : .yes
        }
        return WriteOutcome(bytes: total, packets: packets.count, isConfirmed: type != .command)
    }

    /// Runs an operation on a device whose link stands, with a link made for it where there is none.
    ///
    /// BlueZ may refuse a call because the link has just gone, before it says so: then nothing has been sent, and the
    /// operation is done again on a new link. After another failure it is done again only where its scope allows that.
    func onLink<Value: Sendable>(
        _ address: DeviceAddress,
        _ scope: OperationScope,
        _ body: (ObjectPath) async throws -> Value
    ) async throws -> Value {
        while true {
            let path = try await ready(address, scope)
            do {
                return try await body(path)
            } catch let failure as BleFailure {
                try await restAfter(failure, of: address, at: path, scope)
            }
        }
    }

    /// Waits for the next try of an operation, or throws the failure where there is to be none.
    private func restAfter(
        _ failure: BleFailure,
        of address: DeviceAddress,
        at path: ObjectPath,
        _ scope: OperationScope
    ) async throws {
        let wasRefused = failure.kind == .linkLost && failure.applied == .no && failure.dbus.map(isRefusal) ?? false
        let mayRepeat = wasRefused || scope.retry.repeatsOperation
        let family = mayRepeat ? RetryFamily(operating: failure) : nil
        guard let gap = scope.tryAgain(after: failure, family, configuration.retryGaps) else { throw failure }
        if wasRefused {
            // Until BlueZ says that the link is gone, `ready` would believe in it.
            try await wait(scope, on: link(address)) {
                self.tree.devices[path]?.connected == true ? nil : .success(())
            }
        } else {
            try await rest(gap, scope)
            if failure.kind == .busLost { try await wait(scope) { self.state == .ready ? .success(()) : nil } }
        }
        scope.beginTry()
    }

    private func isRefusal(_ error: BleFailure.BusError) -> Bool {
        BluezErrors.isRefusal(error.name, error.message)
    }

    /// Makes the link where there is none and returns the device's object.
    func ready(_ address: DeviceAddress, _ scope: OperationScope) async throws -> ObjectPath {
        try await requireReady(scope)
        let address = tree.name(of: address)
        if let path = bestObject(of: address, on: scope.adapter), let record = tree.devices[path], record.connected,
            record.servicesResolved, links[address]?.state.phase == .resolved
        {
            scope.linkReady()
            return path
        }
        _ = try await connect(address, scope)
        guard let path = bestObject(of: address, on: scope.adapter) else {
            throw BleFailure(.deviceRemoved, at: .discover, detail: "BlueZ forgot the device")
        }
        return path
    }

    /// The device of an object that has a link now; nothing is sent to others.
    func linked(_ path: ObjectPath) throws(BleFailure) -> DeviceRecord {
        guard let record = tree.devices[path] else { throw removal(path, at: .operate) }
        guard record.connected else { throw BleFailure(.linkLost, at: .operate, detail: "the link ended") }
        return record
    }

    /// Makes one call to the device, ended by its reply, by the loss of the link, or by the scope.
    ///
    /// Of what it does only this much is asynchronous: all that an asynchronous function has among its variables, in
    /// what is inlined too, stands in the task's memory as long as it runs.
    func operate(
        _ message: DBusMessage,
        _ path: ObjectPath,
        _ scope: OperationScope,
        changes: Bool,
        onReply: ((DBusConnection.Outcome) -> Void)? = nil
    ) async throws -> DBusMessage {
        scope.stage = .operate
        let link = link(try linked(path).address)
        if changes, scope.beforeChange != nil { try await askPermission(path, scope, link) }
        let call = DeviceCall(path, link, changes: changes)
        begin(call, message, scope, onReply)
        return try await suspend(scope, on: link) { self.end(of: call) }
    }

    /// Asks the scope before the first change.
    private func askPermission(_ path: ObjectPath, _ scope: OperationScope, _ link: Link) async throws {
        guard let ask = scope.beforeChange else { return }
        scope.beforeChange = nil
        scope.onPermission = { link.poke() }
        ask(scope)
        try await wait(scope, on: link) { scope.permission }
        _ = try linked(path)
    }

    @inline(never)
    private func begin(
        _ call: DeviceCall,
        _ message: DBusMessage,
        _ scope: OperationScope,
        _ onReply: ((DBusConnection.Outcome) -> Void)?
    ) {
        if call.changes, scope.applied == .no { scope.applied = .maybe }
        send(message, for: call.link) { outcome in
            onReply?(outcome)
            call.outcome = outcome
        }
    }

    /// What a call has come to; nil while it is out.
    @inline(never)
    private func end(of call: DeviceCall) -> Result<DBusMessage, any Error>? {
        let doubt: BleFailure.Applied = call.changes ? .maybe : .no
        switch call.outcome {
        case .success(let message): return .success(message)
        case .failure(let error):
            let failure = BluezErrors.failure(error, at: .operate, changes: call.changes)
            return .failure(tree.devices[call.path]?.judged(failure) ?? failure)
        case nil:
            guard let record = tree.devices[call.path] else {
                var failure = removal(call.path, at: .operate)
                failure.applied = doubt
                return .failure(failure)
            }
            if record.connected, call.number <= call.link.refusedOperations {
                // Only the end of the link makes bluetoothd answer.
                cancelLink(call.link.address, at: call.path)
                let detail = "the device wants pairing, which was refused"
                return .failure(record.judged(BleFailure(.needsPairing, at: .operate, detail: detail)))
            }
            if record.connected { return nil }
            return .failure(BleFailure(.linkLost, at: .operate, applied: doubt, detail: "the link ended"))
        }
    }

    /// What a selector names on a device.
    func target(
        _ selector: AttributeSelector,
        of path: ObjectPath,
        needs property: GattCharacteristic.Properties
    ) throws(BleFailure) -> AttributeTarget {
        guard let record = tree.devices[path] else { throw removal(path, at: .discover) }
        let found = try record.attributes.find(selector)
        guard let uuid = selector.descriptor else {
            guard found.properties.isSuperset(of: property) else {
                let names = property.names.joined(separator: ", ")
                throw BleFailure(.notSupported, at: .operate, detail: "the characteristic does not offer: \(names)")
            }
            return AttributeTarget(
                path: found.path,
                interface: BluezNames.characteristic,
                properties: found.properties,
                mtu: found.mtu ?? record.attributes.mtu
            )
        }
        let descriptor = try record.attributes.find(uuid, of: found)
        return AttributeTarget(path: descriptor.path, interface: BluezNames.descriptor, properties: .write, mtu: nil)
    }
}

/// An attribute's object, and what may be done with it.
struct AttributeTarget {
    let path: ObjectPath
    let interface: String
    let properties: GattCharacteristic.Properties
    let mtu: Int?

    /// BlueZ's `type` of a write.
    enum WriteType: String { case request, command, reliable }

    /// Cuts a value into what is written one after the other; without lengths it stays whole.
    ///
    /// - Throws: `BleFailure.valueTooLong` for a packet that the link or the attribute does not take.
    func packets(
        of value: [UInt8],
        _ lengths: (any PeripheralCommandLengthProtocol)?,
        _ type: WriteType
    ) throws(BleFailure) -> [[UInt8]] {
        // With response BlueZ sends a longer value in parts that the device puts together (Core 5.4, Vol 3, Part F,
        // 3.4.6).
        let room = MTUPeripheralCommandLength().length(ofPacket: 0, mtu: mtu)
        let limit = type == .command && mtu != nil ? room : attributeBytes
        let packets = lengths?.cut(value, mtu: mtu, limit: limit) ?? [value]
        guard packets.allSatisfy({ $0.count <= limit }) else {
            throw BleFailure(.valueTooLong(limit: limit), at: .operate, detail: "the value does not fit")
        }
        return packets
    }

    /// The type for a mode.
    ///
    /// - Throws: `BleFailure.notSupported` when the characteristic does not offer it.
    func writeType(_ mode: WriteMode) throws(BleFailure) -> WriteType {
        let (type, needed): (WriteType, GattCharacteristic.Properties) =
            switch mode {
            case .auto where properties.contains(.write): (.request, .write)
            case .auto where properties.contains(.writeWithoutResponse): (.command, .writeWithoutResponse)
            case .auto, .request: (.request, .write)
            case .command: (.command, .writeWithoutResponse)
            case .reliable: (.reliable, .reliableWrite)
            }
        guard properties.isSuperset(of: needed) else {
            let names = needed.names.joined(separator: ", ")
            throw BleFailure(.notSupported, at: .operate, detail: "the characteristic does not offer: \(names)")
        }
        return type
    }
}

/// One call to a device that is out, or has its reply.
private final class DeviceCall {
    let path: ObjectPath
    let link: Link
    /// Whether it may change something at the device.
    let changes: Bool
    /// Its number among the operations of the link.
    let number: Int
    var outcome: DBusConnection.Outcome?

    init(_ path: ObjectPath, _ link: Link, changes: Bool) {
        self.path = path
        self.link = link
        self.changes = changes
        link.operations += 1
        number = link.operations
    }
}
