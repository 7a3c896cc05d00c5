import BleCore
import Frames

/// The fields of each verb that this version offers.
extension FieldReader {
    /// The longest time that a caller may ask for in leases and lasting scans: 30 days.
    static let longestMs = 2_592_000_000
    /// The pauses between packets, in milliseconds.
    static let gaps = 0...10_000

    /// Reads the fields of a verb.
    ///
    /// - Parameters:
    ///   - verb: A verb that is offered.
    ///   - onDevice: Whether the topic names a device.
    ///   - devices: The aliases that filters may name.
    /// - Returns: `nil` when something is wrong; the problems say what.
    mutating func request(_ verb: VerbName, onDevice: Bool, devices: DeviceDirectory) -> VerbRequest? {
        let before = problems.count
        let request = fields(of: verb, onDevice: onDevice, devices: devices)
        return problems.count == before ? request : nil
    }

    private mutating func fields(of verb: VerbName, onDevice: Bool, devices: DeviceDirectory) -> VerbRequest? {
        switch verb {
        case .ping: .ping
        case .info: .info
        case .rssi: .rssi
        case .run: run()
        case .devices: self.devices()
        case .connect: onDevice ? .connect(link(ofConnect: true)) : connectMatching(devices)
        case .disconnect:
            .disconnect(DisconnectRequest(now: flag("now") ?? false, link: link(ofConnect: false)))
        case .discover:
            .discover(
                DiscoverRequest(
                    services: uuids("services") ?? [],
                    characteristics: uuids("characteristics") ?? [],
                    refresh: flag("refresh") ?? false
                )
            )
        case .read: read()
        case .write: write()
        case .subscribe: subscribe()
        case .unsubscribe:
            characteristic(withDescriptor: false).map { .unsubscribe(UnsubscribeRequest(attribute: $0)) }
        case .transact: transact().map { .transact($0) }
        case .scan: scan(devices)
        case .scanStart: scanStart(devices)
        case .scanStop: scanStop()
        case .adapterPower: adapterPower()
        case .pair: pair(onDevice: onDevice)
        case .pairAnswer: pairAnswer()
        case .unpair: .unpair
        case .trust: trust()
        case .forget: .forget
        case .sequence: sequence(devices)
        case .jobs: jobs(devices)
        case .job: job()
        case .cancel: cancel(devices)
        case .logLevel: logLevel()
        case .configGet: configGet()
        case .restart: .restart
        case .diag: .diag
        }
    }

    private mutating func devices() -> VerbRequest {
        let (connected, bonded) = (flag("connected"), flag("bonded"))
        let after = form("after", expected: "an address of 12 hexadecimal digits") { DeviceAddress($0) }
        return .devices(
            DevicesRequest(connected: connected, bonded: bonded, page: Page(limit: limit(), after: after))
        )
    }

    private mutating func read() -> VerbRequest? {
        let attribute = characteristic(withDescriptor: true)
        let offset = self.offset()
        return attribute.map { .read(ReadRequest(attribute: $0, offset: offset)) }
    }

    private mutating func write() -> VerbRequest? {
        let attribute = characteristic(withDescriptor: true)
        let offset = self.offset()
        let value = neededBinary("value")
        let mode = choice("mode", WriteMode.self) ?? .auto
        let chunk = self.chunk()
        guard let attribute, let value else { return nil }
        return .write(WriteRequest(attribute: attribute, value: value, offset: offset, mode: mode, chunk: chunk))
    }

    private mutating func offset() -> UInt16 {
        whole("offset", 0...65_535).flatMap { UInt16(exactly: $0) } ?? 0
    }

    /// `"mtu"`, `{"size":20}` or `{"first":20,"then":512}`, the objects also with `gapMs`.
    mutating func chunk() -> Chunk? {
        guard let value = take("chunk") else { return nil }
        if value.string == "mtu" { return Chunk() }
        guard let object = value.object else {
            problem("chunk", expected: "\"mtu\" or an object with size, or with first and then", found: value)
            return nil
        }
        return nested("chunk", object) { reader in
            let before = reader.problems.count
            let size = reader.whole("size", 1...512)
            let first = reader.whole("first", 1...512)
            let then = reader.whole("then", 1...512)
            let gap = reader.milliseconds("gapMs", Self.gaps) ?? Chunk.defaultGap
            guard reader.problems.count == before else { return nil }
            switch (size, first, then) {
            case (nil, nil, nil): return Chunk(size: .mtu, gap: gap)
            case (let size?, nil, nil): return Chunk(size: .fixed(first: size, then: size), gap: gap)
            case (nil, let first?, let then?): return Chunk(size: .fixed(first: first, then: then), gap: gap)
            default:
                reader.problem("size", "give size alone, or first and then")
                return nil
            }
        }
    }

    private mutating func connectMatching(_ devices: DeviceDirectory) -> VerbRequest? {
        let before = problems.count
        let match = nested("match", expected: "an object with the fields of a filter") { $0.filter(devices) }
        let pick = choice("pick", ConnectMatchingRequest.Pick.self) ?? .first
        let link = link(ofConnect: true)
        guard let match else {
            if problems.count == before { problem("match", expected: "an object with the fields of a filter") }
            return nil
        }
        guard match.hasCondition || problems.count > before else {
            problem("match", "needs a condition, or any device would do")
            return nil
        }
        return .connectMatching(ConnectMatchingRequest(match: match, pick: pick, link: link))
    }

    private mutating func scan(_ devices: DeviceDirectory) -> VerbRequest? {
        let filter = self.filter(devices)
        let duration = milliseconds("durationMs", 1...60_000) ?? ScanCommand.defaultDuration
        var scan = ScanCommand(filter: filter, duration: duration)
        scan.decodes = flag("decode") ?? false
        return .scan(scan)
    }

    mutating func scanStart(_ devices: DeviceDirectory) -> VerbRequest? {
        let filter = self.filter(devices)
        let session = self.session()
        let emit = self.emit() ?? .change
        let batch =
            nested("batch", expected: "an object with maxDevices and maxMs") { reader in
                ScanBatch(
                    maxDevices: reader.whole("maxDevices", 1...100) ?? 100,
                    maxDelay: reader.milliseconds("maxMs", 0...60_000) ?? .milliseconds(1000)
                )
            } ?? .none
        let duration = milliseconds("durationMs", 1...Self.longestMs)
        let isDurable = flag("durable") ?? false
        var start = ScanStartCommand(
            filter: filter,
            session: session,
            emit: emit,
            batch: batch,
            duration: duration,
            isDurable: isDurable
        )
        start.decodes = flag("decode") ?? false
        return .scanStart(start)
    }

    private mutating func scanStop() -> VerbRequest? {
        let before = problems.count
        guard let session = session() else {
            if problems.count == before { problem("session", expected: "the name of a session") }
            return nil
        }
        return .scanStop(ScanStopCommand(session: session))
    }

    private mutating func session() -> SessionName? {
        form("session", expected: "a name of a-z, 0-9, _ and -, at most 64 characters") { SessionName($0) }
    }

    private mutating func emit() -> ScanEmit? {
        let form = "first, change, all, or an object with everyMs"
        guard let value = take("emit") else { return nil }
        switch value {
        case .string("first"): return .first
        case .string("change"): return .change
        case .string("all"): return .all
        case .object(let object):
            return nested("emit", object) { reader in
                let before = reader.problems.count
                if let span = reader.milliseconds("everyMs", 100...86_400_000) { return .every(span) }
                if reader.problems.count == before { reader.problem("everyMs", expected: "a whole number") }
                return nil
            }
        default:
            problem("emit", expected: form, found: value)
            return nil
        }
    }

    private mutating func adapterPower() -> VerbRequest? {
        let before = problems.count
        guard let on = flag("on") else {
            if problems.count == before { problem("on", expected: "true or false") }
            return nil
        }
        return .adapterPower(AdapterPowerRequest(on: on))
    }
}
