internal import BleCore
internal import Frames
internal import YAML

/// Builds a profile from a file's nodes and notes everything that is wrong.
struct ProfileReader {
    typealias Section = ProfileSection
    typealias Value = ProfileSection.Value

    let problems: ProblemList
    /// What the sources yield.
    let names: NameTable

    init(_ problems: ProblemList) {
        self.problems = problems
        names = NameTable(problems)
    }

    func profile(_ root: Value) -> Profile? {
        guard let section = Section(root, problems, "a profile, which is a section of keys") else { return nil }
        let id = section.needed("profile") == nil ? nil : id(section)
        let title = section.needed("title") == nil ? nil : section.text("title")
        var profile = Profile(id: id ?? "", title: title ?? "")
        profile.manufacturer = section.text("manufacturer")
        profile.model = section.text("model")
        profile.match = matches(section)
        profile.isFallback = section.flag("fallback") ?? false
        profile.encryption = section.choice("encryption", PacketEncryption.self)
        profile.interval = section.duration("intervalMs", 1000...604_800_000)
        profile.isShared = section.flag("shared") ?? false
        profile.link = section.section("link").map { link($0) }
        profile.counter = section.section("counter").flatMap { counter($0) }
        if let sources = section.value("sources") {
            profile.sources = sources.items(problems, most: 64, "sources").compactMap { source($0) }
        }
        profile.values = names.values
        profile.events = names.events
        if let commands = section.value("commands") {
            let items = commands.items(problems, most: 64, "commands")
            profile.commands = CommandReader(problems, profile.values).commands(items)
        }
        if !section.has("sources"), !section.has("commands") {
            section.problem(nil, "needs the key \"sources\" or \"commands\", or both")
        }
        section.finish()
        check(profile, section)
        return profile
    }

    private func id(_ section: Section) -> String? {
        section.form("profile", "an id of 1 to 64 of a-z, 0-9 and - that begins with a letter or digit") { text in
            Section.isName(text) && !text.contains("_") ? text : nil
        }
    }

    private func link(_ section: Section) -> ProfileLink {
        defer { section.finish() }
        return ProfileLink(
            policy: section.choice("policy", ProfileLink.Policy.self),
            idle: section.duration("idleMs", 0...86_400_000),
            maxAttempts: section.number("maxAttempts", 1...1_000_000),
            rssiMin: section.number("rssiMin", -127...20)
        )
    }

    private func counter(_ section: Section) -> PacketCounter? {
        defer { section.finish() }
        let value = section.needed("value") == nil ? nil : section.name("value")
        let bits = section.number("bits", 1...64) ?? 8
        return value.map { PacketCounter(value: $0, bits: bits) }
    }

    /// Names must lead somewhere.
    private func check(_ profile: Profile, _ section: Section) {
        names.checkNeeds()
        if let counter = profile.counter, profile.value(named: counter.value)?.kind != .number {
            section.problem("counter", "there is no number \(quoted(counter.value)) in the sources")
        }
        for (name, line, path) in names.brightness where profile.value(named: name)?.kind != .number {
            problems.add(line, path, "there is no number \(quoted(name)) in the sources")
        }
        if profile.match.isEmpty, profile.isFallback {
            section.problem("fallback", "only beside match: without it the configuration names the profile")
        }
        if profile.encryption != nil, !profile.sources.contains(where: \.isAdvertised) {
            section.problem("encryption", "only of advertisements: no source is one")
        }
    }
}
