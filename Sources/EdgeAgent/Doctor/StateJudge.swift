internal import Glibc
internal import Journal

/// How configuration, clock and state directory are, and what to do about it; pure.
package enum StateJudge {
    /// Whether the directory can be used by this user.
    package static func directory(_ facts: StateFacts, _ host: HostFacts) -> Finding {
        let (path, user) = (facts.path, host.user)
        switch facts.place {
        case .notADirectory:
            return .failed("\(path) is no directory", mend: "sudo mv \(path) \(path).old, or another stateDir")
        case .hidden(let code):
            return .failed(
                "\(path) may not be looked at by \(user): \(text(code))",
                mend: asOwner("edge-agent", host)
            )
        case .absent(let parent, let hasGrandparent, let canBeMade):
            let mend = "sudo install -d -m 750 -o \(user) \(path)"
            if !hasGrandparent { return .failed("\(path) is not there, nor is \(parent)", mend: mend) }
            if facts.isReadOnly { return .failed("\(path) is not there: \(text(EROFS))", mend: remount(facts)) }
            guard canBeMade else { return .failed("\(path) is not there, and \(user) cannot make it", mend: mend) }
            return .ok("\(path) is not there yet: the agent makes it")
        case .directory(let owner):
            if facts.isReadOnly || facts.writeCode == EROFS {
                return .failed("\(path) is on a file system that may only be read", mend: remount(facts))
            }
            if facts.writeCode != 0 {
                return .failed(
                    "\(path) belongs to \(owner), and \(user) cannot write in it: \(text(facts.writeCode))",
                    mend: ownerMend(owner, path, host)
                )
            }
            if let version = facts.version, Int64(version) != StateDirectory.version { return newer(facts, version) }
            if owner.id != user.id {
                return .warning(
                    "\(path) belongs to \(owner), and this is \(user)",
                    mend: host.isRoot ? asOwner(owner.description, host) : ownerMend(owner, path, host)
                )
            }
            return .ok("\(path), of \(owner)" + (facts.holder == .agent ? ", in use by an agent" : ""))
        }
    }

    private static func newer(_ facts: StateFacts, _ version: String) -> Finding {
        guard let number = Int64(version), number > StateDirectory.version else {
            return .failed(
                "\(facts.path)/version is no version of an agent",
                mend: "sudo mv \(facts.path)/version \(facts.path)/version.old"
            )
        }
        return .failed(
            "\(facts.path) has schema version \(number), this agent knows versions up to \(StateDirectory.version)",
            mend: "sudo apt install --only-upgrade edge-agent, or another stateDir"
        )
    }

    /// Whether there is room.
    package static func space(_ facts: StateFacts) -> Finding {
        guard let bytes = facts.freeBytes else {
            return .warning("how much room there is cannot be told", mend: "df -h \(facts.path)")
        }
        let room = "\(bytes >> 20) MiB free"
        let mend = "df -h \(facts.path); sudo apt clean; sudo journalctl --vacuum-size=50M; then: outbox.maxBytes less"
        if let files = facts.freeFiles, files < 16 {
            return .failed("\(room), and room for \(files) more files", mend: "df -i \(facts.path)")
        }
        if bytes < failingBytes { return .failed(room, mend: mend) }
        if bytes < warningBytes { return .warning(room, mend: mend) }
        return .ok(room)
    }

    /// Below it the journal cannot keep its reserve, and takes nothing new.
    package static let failingBytes: UInt64 = 4 << 20
    /// Below it a long absence of the broker may fill the disk.
    package static let warningBytes: UInt64 = 64 << 20

    /// Whether the journal can be opened.
    package static func journal(_ facts: StateFacts, problem: String?, _ host: HostFacts) -> Finding {
        let file = "\(facts.path)/journal.sqlite"
        if let problem {
            return .failed(problem, mend: "df -h \(facts.path); journalctl -u edge-agent -g journal -n 20")
        }
        switch facts.journal {
        case .absent: return .ok("there is none yet: the agent makes it")
        case .whole(0): return .ok("nothing is in it yet")
        case .whole(let version): return .ok("whole, schema version \(version)")
        case .inUse(let version):
            let holder = facts.holder == .unknown ? "perhaps in use" : "in use by an agent"
            return .ok("schema version \(version), \(holder): not read through")
        case .wrong(.newer(let version, let known)):
            return .failed(
                "\(file) has schema version \(version), this agent knows versions up to \(known)",
                mend: "sudo apt install --only-upgrade edge-agent"
            )
        case .wrong(.foreign):
            return .failed("\(file) is no journal of this agent", mend: "sudo mv \(file) \(file).old")
        case .wrong(.damaged(let what)):
            return .failed(
                "\(file) is damaged: \(what)",
                mend: "sudo systemctl restart edge-agent; if its log still says damaged: "
                    + "for f in \(file)*; do sudo mv $f $f.old; done"
            )
        case .wrong(let failure):
            return .failed("\(file): \(failure)", mend: asOwner("edge-agent", host))
        }
    }

    /// Whether the clock is right, as far as the kernel knows.
    package static func clock(_ host: HostFacts, policy: ClockPolicy?) -> Finding {
        let mend =
            host.isContainer
            ? "on the host: sudo timedatectl set-ntp true"
            : "sudo apt install systemd-timesyncd; sudo timedatectl set-ntp true"
        let now = UTCTime(millisecondsSince1970: host.nowMs).description
        if host.nowMs < AgentVersion.releasedMs - 60_000 {
            return .failed("it is \(now), which is before this program was made", mend: mend)
        }
        if host.isClockSynchronised { return .ok("synchronised, \(now)") }
        if policy == .requireSync {
            return .failed("not synchronised, and clock: require-sync wants it", mend: mend)
        }
        return .warning("not synchronised, \(now)", mend: mend)
    }

    /// Whether the configuration can be used.
    package static func configuration(_ outcome: ConfigurationLoader.Outcome, file: String?) -> Finding {
        let flag = file.map { " --config \($0)" } ?? ""
        switch outcome {
        case .loaded(let loaded):
            let source = loaded.file ?? "no file: flags and defaults alone"
            guard let warning = loaded.warnings.first else { return .ok(source) }
            return .warning(warning.description, mend: mend(warning, flag))
        case .unreadable(let problem):
            let name = file ?? ConfigurationLoader.defaultFile
            let mend = "ls -l \(name); as the agent: sudo -u edge-agent edge-agent doctor\(flag)"
            return .failed(problem.description, mend: mend)
        case .refused(let problems):
            let first = problems[0]
            let more = problems.count > 1 ? " (and \(problems.count - 1) more)" : ""
            if first.description.firstRange(of: "/run/credentials/") != nil {
                return .failed(
                    first.description + more,
                    mend: "sudo systemctl start edge-agent: its credentials are there while it runs; then: "
                        + "sudo -u edge-agent edge-agent doctor\(flag)"
                )
            }
            return .failed(first.description + more, mend: mend(first, flag))
        }
    }

    private static func mend(_ problem: ConfigurationProblem, _ flag: String) -> String {
        (problem.key.map { "mend \($0) there; " } ?? "") + "edge-agent check-config\(flag)"
    }

    // MARK: Texts

    private static func text(_ code: Int32) -> String { String(cString: strerror(code)) }

    private static func asOwner(_ owner: String, _ host: HostFacts) -> String {
        "sudo -u \(owner) edge-agent doctor\(host.file.map { " --config \($0)" } ?? "")"
    }

    /// Either this is the wrong user, or the directory has the wrong owner; root is not meant to have it.
    private static func ownerMend(_ owner: UserName, _ path: String, _ host: HostFacts) -> String {
        let change = "sudo chown -R \(host.user): \(path)"
        return owner.id == 0
            ? change : "\(asOwner(owner.description, host)); if the agent runs as \(host.user): \(change)"
    }

    private static func remount(_ facts: StateFacts) -> String {
        "sudo mount -o remount,rw $(findmnt -n -o TARGET -T \(facts.path)); where that fails: sudo dmesg | tail; or another "
            + "stateDir"
    }
}
