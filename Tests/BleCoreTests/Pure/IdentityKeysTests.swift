import BleCore
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct IdentityKeysTests {
    private let text = "ec0234a357c8ad05341010a60a397d9b"

    @Test func `a file lists an address and a key a line, with comments`() throws {
        let file = """
            # phones
            C0:5A:00:00:00:77 \(text)   # the blue one

              aabbccddeeff\t\(text.uppercased()) random
            00:1a:7d:da:71:10 \(text) public\r
            """
        let keys = try IdentityKeys.parse(Array(file.utf8)).keys
        #expect(keys.map(\.address.hex) == ["c05a00000077", "aabbccddeeff", "001a7dda7110"])
        #expect(keys.map(\.addressType) == [.random, .random, .public])
        #expect(keys[0] == PrivateAddresses.key)
    }

    @Test(arguments: [
        ("C0:5A:00:00:00:77", "line 1 needs an address and a key"),
        ("#\nnobody ec02", "line 2 does not begin with an address"),
        ("C0:5A:00:00:00:77 ec02", "line 1 has a key that is not 32 hexadecimal digits"),
        ("C0:5A:00:00:00:77 ec0234a357c8ad05341010a60a397d9g", "line 1 has a key that is not 32 hexadecimal digits"),
        (
            "C0:5A:00:00:00:77 ec0234a357c8ad05341010a60a397d9b x",
            "line 1 has a third word that is neither public nor random"
        ),
        (
            "C0:5A:00:00:00:77 ec0234a357c8ad05341010a60a397d9b\nc05a00000077 ec0234a357c8ad05341010a60a397d9b",
            "line 2 names an address again"
        ),
        ("\u{0}", "line 1 needs an address and a key"),
    ])
    func `a line that is no key is named without the key`(_ text: String, _ problem: String) {
        #expect { try IdentityKeys.parse(Array(text.utf8)) } throws: { "\($0)" == problem }
    }

    @Test func `there is a limit to the number of keys`() throws {
        let lines = (0...IdentityKeys.limit).map { "c05a0000\(String($0 + 0x1000, radix: 16)) \(text)\n" }
        let all = Array(lines.joined().utf8)
        #expect(throws: IdentityKeys.Problem.tooMany) { try IdentityKeys.parse(all) }
        let some = try IdentityKeys.parse(Array(lines.dropLast().joined().utf8))
        #expect(some.keys.count == IdentityKeys.limit)
        #expect(throws: IdentityKeys.Problem.line(1, "is not UTF-8")) { try IdentityKeys.parse([0xFF]) }
    }

    @Test func `a key is shown to nobody`() {
        let key = PrivateAddresses.key
        var dumped = ""
        dump(IdentityKeys([key]), to: &dumped)
        for shown in ["\(key)", String(reflecting: key), dumped, "\(IdentityKeys([key]))"] {
            #expect(!shown.contains("236") && !shown.contains("ec"), "\(shown)")
        }
    }

    @Test func `a file that every user may read is refused`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }  // a test's own file
        try "C0:5A:00:00:00:77 \(text)\n".write(toFile: path, atomically: false, encoding: .utf8)
        let modes: [(Int, IdentityKeys.Problem?)] = [
            (0o600, nil), (0o640, nil), (0o644, .openToAll), (0o602, .openToAll),
        ]
        for (mode, problem) in modes {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let found: IdentityKeys.Problem?
            do throws(IdentityKeys.Problem) {
                let keys = try IdentityKeys.read(path)
                #expect(keys.keys == [PrivateAddresses.key])
                found = nil
            } catch {
                found = error
            }
            #expect(found == problem, "mode \(String(mode, radix: 8))")
        }
        #expect(throws: IdentityKeys.Problem.system(2)) { try IdentityKeys.read(path + "-not") }
        #expect(throws: IdentityKeys.Problem.notRegular) { try IdentityKeys.read("/dev/null") }
    }
}
