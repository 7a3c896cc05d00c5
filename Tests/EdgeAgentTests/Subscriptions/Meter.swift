import BlueZSimulator
import MQTT
import TestSupport

extension TestDevice {
    /// A device for subscriptions, with service ffd0.
    ///
    /// ffd1 notifies what a test says; ffd2 indicates the same way; ffd3 can be read alone and counts its reads; ffd4
    /// answers reads with ATT error 0x80; ffd5 can be written alone.
    static let meter: TestDevice = {
        var air = AdvertisementModel()
        air.name = "Meter"
        air.interval = .milliseconds(50)
        let characteristics = [
            CharacteristicModel("ffd1", [.read, .notify], value: .fixed([0])),
            CharacteristicModel("ffd2", [.indicate]),
            CharacteristicModel("ffd3", [.read], value: PayloadModel(.counter(.uint8))),
            CharacteristicModel("ffd4", [.read], read: .error(0x80)),
            CharacteristicModel("ffd5", [.write]),
        ]
        return TestDevice(
            DeviceModel(
                address: "C0:5A:00:00:00:31",
                advertisement: air,
                services: [ServiceModel("ffd0", characteristics), ServiceModel("ffe0", [])],
                mtu: 64
            )
        )
    }()
}

extension AgentSetup {
    /// With the meter alone around, and a state directory of the test's own where it gives one.
    static func meter(state: String? = nil) -> AgentSetup {
        var setup = AgentSetup()
        setup.world.devices = [.meter]
        if let state { setup.keys["stateDir"] = "\"\(state)\"" }
        return setup
    }
}

extension Gateway {
    /// Subscribes as a caller and waits for the result.
    func subscribe(_ characteristic: String, _ fields: String = "", client: String = "test") async throws -> Json {
        try await command("subscribe", characteristic, fields, client: client)
    }

    func unsubscribe(_ characteristic: String, client: String = "test") async throws -> Json {
        try await command("unsubscribe", characteristic, client: client)
    }

    private func command(
        _ verb: String,
        _ characteristic: String,
        _ fields: String = "",
        client: String
    ) async throws -> Json {
        let more = fields.isEmpty ? "" : ",\(fields)"
        let topic = topic(.meter, "cmd/\(client)")
        let id = try await start(
            verb,
            "\"service\":\"ffd0\",\"characteristic\":\"\(characteristic)\"\(more)",
            on: .meter
        ) { $0.topic = topic }
        return try await result(id, client: client).json
    }

    /// Where the values of a characteristic of the meter go.
    func values(_ characteristic: String) -> String { "dev/\(name(of: .meter))/notify/ffd0/\(characteristic)" }

    /// Waits for an event of the meter.
    @discardableResult
    func hear(event: String, from mark: Int = 0, count: Int = 1) async throws -> Received {
        try await hear(on: "dev/\(name(of: .meter))/event", from: mark, count: count) { $0["event"].text == event }
    }
}
