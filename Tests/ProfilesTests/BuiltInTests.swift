import Profiles
import Testing

@Suite(.timeLimit(.minutes(10))) struct BuiltInTests {
    @Test(arguments: BuiltInProfiles.texts) func `every built-in profile is valid`(text: String) {
        do {
            let profile = try ProfileParser.parse(Array(text.utf8), file: "built-in")
            #expect(BuiltInProfiles.text(of: profile.id) == text)
            #expect(!profile.match.isEmpty)
        } catch {
            let problems = error.problems.map(\.description)
            Issue.record("\(problems.joined(separator: "\n"))")
        }
    }

    @Test func `no two have one id, and none is missing`() {
        #expect(BuiltInProfiles.all.count == BuiltInProfiles.texts.count)
        #expect(Set(BuiltInProfiles.all.map(\.id)).count == BuiltInProfiles.all.count)
    }
}
