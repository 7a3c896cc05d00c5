import BleCore

/// The fields of sequences, of what is said about jobs, and of how a command is to be handled.
extension FieldReader {
    /// The most entries that a caller may ask for at once.
    private static let longestPage = 1000

    /// `retry`: `{"max":2,"idempotent":true}`.
    mutating func retry() -> RetryRequest {
        let read = nested("retry", expected: "an object with max and idempotent") { reader in
            let max = reader.whole("max", 0...100)
            return RetryRequest(max: max, isIdempotent: reader.flag("idempotent") ?? false)
        }
        return read ?? RetryRequest()
    }

    /// How a command is spread over the members of a group.
    mutating func spread() -> GroupSpread {
        GroupSpread(
            concurrency: whole("concurrency", 1...64) ?? GroupSpread.defaultConcurrency,
            jitter: milliseconds("jitterMs", 0...60_000) ?? .zero
        )
    }

    mutating func limit() -> Int? { whole("limit", 1...Self.longestPage) }

    mutating func sequence(_ devices: DeviceDirectory) -> VerbRequest? {
        let before = problems.count
        let onError = choice("onError", SequenceRequest.OnError.self) ?? .stop
        let form = "a list of 1 to \(SequenceRequest.maxSteps) objects, each with a verb"
        guard let value = take("steps") else {
            problem("steps", expected: form)
            return nil
        }
        guard let entries = value.array, (1...SequenceRequest.maxSteps).contains(entries.count) else {
            problem("steps", expected: form, found: value)
            return nil
        }
        var steps: [SequenceRequest.Step] = []
        for (index, entry) in entries.enumerated() {
            let name = "steps[\(index)]"
            guard let object = entry.object else {
                problem(name, expected: "an object with a verb", found: entry)
                continue
            }
            if let step = nested(name, object, { $0.step(devices) }) { steps.append(step) }
        }
        guard problems.count == before else { return nil }
        return .sequence(SequenceRequest(steps: steps, onError: onError))
    }

    private mutating func step(_ devices: DeviceDirectory) -> SequenceRequest.Step? {
        let names = VerbName.sorted.filter(\.mayBeStep)
        let expected = "one of " + names.map(\.rawValue).joined(separator: ", ")
        guard let value = take("verb") else {
            problem("verb", expected: expected)
            return nil
        }
        guard let verb = value.string.flatMap(VerbName.init(rawValue:)), names.contains(verb) else {
            problem("verb", expected: expected, found: value)
            return nil
        }
        let timeout = milliseconds("timeoutMs", 1...CommandDecoder.maxTimeoutMs)
        let retry = self.retry()
        guard let request = request(verb, onDevice: true, devices: devices) else { return nil }
        return SequenceRequest.Step(request, timeout: timeout, retry: retry)
    }

    mutating func jobs(_ devices: DeviceDirectory) -> VerbRequest {
        let device = self.device("dev", devices)
        return .jobs(JobsRequest(device: device, page: Page(limit: limit(), after: whole("after", 0...Int.max))))
    }

    mutating func job() -> VerbRequest? {
        let before = problems.count
        if let job = reference() { return .job(job) }
        if problems.count == before { problem("of", expected: Self.referenceForm) }
        return nil
    }

    /// `of`, `dev` or `all`, one of them.
    mutating func cancel(_ devices: DeviceDirectory) -> VerbRequest? {
        let before = problems.count
        let job = reference()
        let device = self.device("dev", devices)
        let all = flag("all") ?? false
        guard problems.count == before else { return nil }
        switch (job, device, all) {
        case (let job?, nil, false): return .cancel(.job(job))
        case (nil, let device?, false): return .cancel(.device(device))
        case (nil, nil, true): return .cancel(.all)
        default:
            problem("of", "give one of of, dev and all")
            return nil
        }
    }

    private static let referenceForm = "an object with the client and the id of a command"

    private mutating func reference() -> JobReference? {
        nested("of", expected: Self.referenceForm) { reader in
            let form = "A-Z, a-z, 0-9, _ and -, 1 to 64 characters"
            let client = reader.take("client")
            let id = reader.take("id")
            let name = client?.string.flatMap { NamePattern.isCallerName($0) ? $0 : nil }
            if name == nil { reader.problem("client", expected: form, found: client) }
            let known: CommandID? =
                switch id {
                case .integer(let number)?: CommandID(number)
                case .string(let text)?: CommandID(text)
                default: nil
                }
            if known == nil { reader.problem("id", expected: "\(form), or a whole number", found: id) }
            guard let name, let known else { return nil }
            return JobReference(client: name, id: known.text)
        }
    }

    /// A device by its alias or address.
    private mutating func device(_ name: String, _ devices: DeviceDirectory) -> DeviceTarget? {
        form(name, expected: "the alias or address of a device") { text in
            guard let name = DeviceName(text), let address = devices.address(of: name) else { return nil }
            return DeviceTarget(address: address, name: devices.name(of: address))
        }
    }
}
