import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SecretTests {
    @Test func `no way of printing shows a secret`() {
        let secret = Secret(Array("S3cr3t-needle".utf8))
        var mqtt = MQTTSettings()
        mqtt.password = secret
        var dumped = ""
        dump(secret, to: &dumped)
        dump(mqtt, to: &dumped)
        let shown = [
            "\(secret)", String(reflecting: secret), "\(mqtt)", String(reflecting: mqtt), "\([secret])", dumped,
        ]
        for text in shown {
            #expect(text.contains("***"))
            #expect(!text.contains("S3cr3t") && !text.contains("83, 51"))
        }
        #expect(secret.reveal() == Array("S3cr3t-needle".utf8))
        #expect(Mirror(reflecting: secret).children.isEmpty)
    }
}
