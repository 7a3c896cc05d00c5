import Foundation
import TestSupport
import Testing

extension AgentSetup {
    /// An agent beside one device.
    init(beside device: TestDevice) {
        self.init()
        world.devices = [device]
    }
}

extension Gateway {
    /// The value that wants pairing, as a command names it.
    static let secret = #""service":"ffe0","characteristic":"ffe1""#

    /// Waits for a message about a prompt.
    func prompt(_ state: String = "open", from mark: Int = 0, count: Int = 1) async throws -> Json {
        try await hear(on: "pair", from: mark, count: count) { $0["state"].text == state }.json
    }

    /// Answers a prompt, and waits for the result of that.
    func answer(_ prompt: Json, _ fields: String, on device: TestDevice) async throws -> Json {
        try await send("pair.answer", "\"prompt\":\"\(prompt["prompt"].text ?? "")\",\(fields)", on: device)
    }

    /// What `devices` says of the one device that there is.
    func known() async throws -> Json { try await send("devices")["result"]["devices"][0] }
}

/// Whether a result tells of a failure with this code.
func expectError(_ result: Json, _ code: String, status: String = "failed", stage: String = "operate") {
    #expect(result["status"].text == status, "\(result)")
    #expect(result["error"]["code"].text == code, "\(result)")
    #expect(result["error"]["stage"].text == stage, "\(result)")
    #expect(result["error"]["retryable"] == false, "\(result)")
}

/// Whether one of the files in a directory has a text in it, whatever else there is.
func directoryContains(_ directory: String, _ text: String) throws -> Bool {
    try FileManager.default.contentsOfDirectory(atPath: directory).contains { name in
        let path = URL(filePath: directory).appending(path: name)
        return try Data(contentsOf: path).range(of: Data(text.utf8)) != nil
    }
}
