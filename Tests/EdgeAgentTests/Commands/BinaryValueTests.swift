import BleCore
import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10))) struct BinaryValueTests {
    let fixture: DecoderFixture

    init() throws { fixture = try DecoderFixture() }

    private func value(_ value: String) throws -> [UInt8]? {
        guard
            case .write(let write)? = fixture.decode("{\"verb\":\"write\",\"handle\":1,\"value\":\(value)}").command?
                .request
        else { return nil }
        return write.value
    }

    @Test(
        arguments: [
            ("aa01", [0xAA, 0x01]), ("AA01", [0xAA, 0x01]), ("aa 01", [0xAA, 0x01]), ("aa:01", [0xAA, 0x01]),
            ("aa-01", [0xAA, 0x01]),
            ("0xaa01", [0xAA, 0x01]), ("0XAA 0x01", [0xAA, 0x01]), ("aa  01", [0xAA, 0x01]), ("0x00", [0]), ("", []),
            ("00", [0]),
            ("aa01 02:03", [0xAA, 1, 2, 3]),
        ] as [(String, [UInt8])]
    ) func `hexadecimal digits are taken in every form`(text: String, bytes: [UInt8]) throws {
        #expect(try value("{\"hex\":\"\(text)\"}") == bytes)
    }

    @Test(arguments: [
        "a", "aa0", "0x", "x", "aa::01", "aa: 01 :", ":aa", "aa:", " aa", "aa ", "a a", "aa,01", "0xaa0x01", "0x 01",
        "äa", "aa\\n01",
        "0x0x01",
    ]) func `other texts are no hexadecimal digits`(text: String) throws {
        #expect(try value("{\"hex\":\"\(text)\"}") == nil)
    }

    @Test(
        arguments: [
            ("", []), ("qgE=", [0xAA, 1]), ("qg==", [0xAA]), ("qgEC", [0xAA, 1, 2]), ("+/8=", [0xFB, 0xFF]),
        ] as [(String, [UInt8])]
    ) func `base64 is taken`(text: String, bytes: [UInt8]) throws {
        #expect(try value("{\"base64\":\"\(text)\"}") == bytes)
    }

    @Test(arguments: [
        "q", "qg", "qgE", "qgE==", "====", "=", "q===", "qh==", "qgF=", "-_8=", "qg E", "qgE=qgE=", "qgE=\\n",
    ]) func `sloppy base64 is refused`(text: String) throws {
        #expect(try value("{\"base64\":\"\(text)\"}") == nil)
    }

    @Test func `a text is its bytes in UTF-8`() throws {
        #expect(try value(#"{"utf8":"on"}"#) == [0x6F, 0x6E])
        #expect(try value(#"{"utf8":""}"#) == [])
        #expect(try value(#"{"utf8":"ü\ud83d\ude00"}"#) == Array("ü😀".utf8))
        #expect(try value(#"{"utf8":null,"hex":"01"}"#) == [1])
    }

    @Test func `a long value is left to the operation`() throws {
        let text = String(repeating: "ab", count: 20_000)
        #expect(try value("{\"hex\":\"\(text)\"}")?.count == 20_000)
    }
}
