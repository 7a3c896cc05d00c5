/// How much of a hurry a job is in; sorted by what goes first.
public enum JobPriority: Int, CaseIterable, Comparable, Sendable {
    case urgent
    case normal
    case low

    public static func < (left: JobPriority, right: JobPriority) -> Bool { left.rawValue < right.rawValue }
}
