extension BenchCase {
    static let header = "devices   slots   ns a job: median (least to most)   submit   start   bytes a job"

    /// The figures of all rounds in one line.
    func row(_ results: [Result]) -> String {
        let all = results.map(\.nanoseconds).sorted()
        let cells = [
            ("\(devices)", 7), (slots.map(String.init) ?? "-", 8),
            ("\(Self.whole(all[all.count / 2])) (\(Self.whole(all[0])) to \(Self.whole(all[all.count - 1])))", 35),
            (Self.median(results.map(\.submitNanoseconds)), 9), (Self.median(results.map(\.startNanoseconds)), 8),
            (Self.median(results.map(\.bytes)), 14),
        ]
        return cells.map { text, width in String(repeating: " ", count: max(0, width - text.count)) + text }.joined()
    }

    private static func median(_ values: [Double]) -> String { whole(values.sorted()[values.count / 2]) }

    private static func whole(_ value: Double) -> String { String(Int(value.rounded())) }
}
