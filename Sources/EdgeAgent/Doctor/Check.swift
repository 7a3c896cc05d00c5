/// One thing to look at: what it is called, what it needs, and how it is done.
///
/// The command `doctor` and the verb `diag` carry out the same list; what differs is where the ``Doctor`` has its
/// facts from.
package struct Check: Sendable {
    package let name: CheckName
    package let run: @Sendable (isolated Doctor) async -> Finding

    package var needs: [CheckName] { name.needs }

    private init(_ name: CheckName, _ run: @escaping @Sendable (isolated Doctor) async -> Finding) {
        self.name = name
        self.run = run
    }

    /// All checks, in order: what a check needs stands before it.
    package static let all: [Check] = CheckName.allCases.map { name in
        Check(name) { doctor in await doctor.examine(name) }
    }
}
