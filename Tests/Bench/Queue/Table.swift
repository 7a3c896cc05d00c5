extension BenchCase {
    static let header =
        "devices   slots   ns a job: median (least to most)   submit   start   bytes a job   bytes a device"

    static let explanation = """
        No step looks through devices or jobs. What is left of a difference is a miss of the processor's caches where a
        submit looks its device up: they hold a thousand devices, not a hundred thousand. With one device none waits for
        a slot. Other programs use the same caches, and so widen the spread.
        """

    /// The figures of all rounds in one line.
    func row(_ results: [Result]) -> String {
        let all = results.map(\.nanoseconds).sorted()
        // One device alone has the memory that is allocated in advance.
        let deviceBytes = devices == 1 ? "-" : Self.whole(Self.median(results.map(\.deviceBytes)))
        let cells = [
            ("\(devices)", 7), (slots.map(String.init) ?? "-", 8),
            ("\(Self.whole(Self.median(all))) (\(Self.whole(all.first ?? 0)) to \(Self.whole(all.last ?? 0)))", 35),
            (Self.whole(Self.median(results.map(\.submitNanoseconds))), 9),
            (Self.whole(Self.median(results.map(\.startNanoseconds))), 8),
            (Self.whole(Self.median(results.map(\.bytes))), 14), (deviceBytes, 17),
        ]
        return cells.map { text, width in String(repeating: " ", count: max(0, width - text.count)) + text }.joined()
    }

    static func median(_ values: [Double]) -> Double { values.isEmpty ? 0 : values.sorted()[values.count / 2] }

    private static func whole(_ value: Double) -> String { String(Int(value.rounded())) }
}
