import BleCore
import Foundation
import Profiles
import Testing

@Suite(.timeLimit(.minutes(10))) struct BindKeysTests {
    private static let key = "231d39c1d7cc1ab1aee224cd096db932"

    @Test func `keys are read with comments and empty lines`() throws {
        let text = "# cellar\n\nA4:C1:38:8D:18:B2  \(Self.key) # the first\r\na4c1388d18b3 \(Self.key.uppercased())\n"
        let keys = try BindKeys.parse(Array(text.utf8))
        #expect(keys.count == 2 && keys.devices.map(\.hex) == ["a4c1388d18b2", "a4c1388d18b3"])
        #expect(keys[try #require(DeviceAddress("A4:C1:38:8D:18:B2"))] == hex(Self.key))
    }

    @Test(
        arguments: [
            ("x", .line(1, "needs an address and a key")), ("\nx \(key)", .line(2, "does not begin with an address")),
            ("A4:C1:38:8D:18:B2 12", .line(1, "has a key that is not 32 hexadecimal digits")),
            ("A4:C1:38:8D:18:B2 \(key.dropLast())g", .line(1, "has a key that is not 32 hexadecimal digits")),
            ("A4:C1:38:8D:18:B2 \(key)\nA4-C1-38-8D-18-B2 \(key)", .line(2, "names an address again")),
            ("A4:C1:38:8D:18:B2 \(key) more", .line(1, "needs an address and a key")),
        ] as [(String, BindKeys.Problem)]
    ) func `a line that is no key is told without it`(text: String, problem: BindKeys.Problem) {
        #expect(throws: problem) { try BindKeys.parse(Array(text.utf8)) }
        #expect(!problem.description.contains(Self.key.prefix(8)))
    }

    @Test func `a key is never shown`() throws {
        let keys = try BindKeys.parse(Array("A4:C1:38:8D:18:B2 \(Self.key)".utf8))
        var dumped = ""
        dump(keys, to: &dumped)
        for text in ["\(keys)", String(reflecting: keys), dumped] {
            #expect(!text.contains("35") && !text.contains("231d"))
        }
    }

    @Test func `a file that others may read is refused`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }  // what remains is in the temporary folder
        let file = folder.appending(path: "keys")
        try Data("A4:C1:38:8D:18:B2 \(Self.key)".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
        #expect(try BindKeys.read(file.path).count == 1)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        #expect(throws: BindKeys.Problem.openToAll) { try BindKeys.read(file.path) }
        #expect(throws: BindKeys.Problem.notRegular) { try BindKeys.read(folder.path) }
        #expect(throws: BindKeys.Problem.system(ENOENT)) { try BindKeys.read(file.path + "x") }
    }

    @Test func `profiles are read from files and folders, and one that is wrong spoils no other`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }  // what remains is in the temporary folder
        func write(_ name: String, _ text: String) throws {
            try Data(text.utf8).write(to: folder.appending(path: name))
        }
        let rest = "title: T\nsources: [{name: true, fields: [{name: a, type: utf8}]}]\n"
        try write("b.yaml", "profile: b\n" + rest)
        try write("a.yml", "profile: a\n" + rest)
        try write("c.yaml", "profile: b\n" + rest)
        try write("d.yaml", "profile: d\n")
        try write("notes.txt", "no profile")
        try write(".hidden.yaml", "no profile")
        let (profiles, problems) = ProfileFiles.read([folder.path, folder.path + "/none.yaml"])
        #expect(profiles.map(\.id) == ["a", "b"])
        let texts = problems.map { $0.description.replacing(folder.path + "/", with: "") }
        #expect(texts.count == 4)
        #expect(
            texts[0]
                == "c.yaml: profile: the id \"b\" is that of \(folder.path)/b.yaml, too".replacing(
                    folder.path + "/",
                    with: ""
                )
        )
        #expect(texts[1].hasPrefix("d.yaml:1: needs the key \"title\""))
        #expect(texts[3] == "none.yaml: cannot be read: No such file or directory")
    }
}
