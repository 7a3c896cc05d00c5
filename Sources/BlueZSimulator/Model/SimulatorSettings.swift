/// What holds for the whole simulation: times that bluetoothd keeps, and the seed.
package struct SimulatorSettings: Equatable, Sendable {
    /// Seeds all that is random: RSSI, wandering values, the moment of an advertisement.
    package var seed: UInt64 = 1
    /// From `Disconnect` to the end of the link; bluetoothd's own timer is 2 s.
    package var disconnectDelay: Duration = .milliseconds(20)
    /// How long an attempt to reach a silent device lasts; 4 s with Linux.
    package var connectTimeout: Duration = .milliseconds(200)
    /// From the link to the resolved services of a device that was not known before.
    package var resolveDelay: Duration = .milliseconds(1)
    /// From a GATT request to its answer; one request at a time on a link.
    package var attDelay: Duration = .zero
    /// How long a device stays that nobody has connected to, after its last advertisement; bluetoothd says 30 s.
    package var temporaryTimeout: Duration = .seconds(30)

    /// How long a pairing may wait for somebody; the Security Manager's own time is 30 s.
    package var pairingTimeout: Duration = .seconds(30)
    /// From the end of a link whose bond is stale to the one that bluetoothd makes by itself; 200 ms were seen.
    package var relinkDelay: Duration = .milliseconds(5)
    /// From the end of a life that was killed to that of its links: the kernel keeps them for 2 s.
    package var lingerDelay: Duration = .milliseconds(20)

    /// Which connects, counted over all, leave out the signal `Connected=true`: each n-th; nil: none.
    ///
    /// bluetoothd does so once in a few dozen, when it handles the link's socket before the kernel's event.
    package var silentConnectEvery: Int?

    /// Short times, for tests.
    package init() {}

    /// The times of bluetoothd 5.66 and a usual link.
    package static var realistic: SimulatorSettings {
        var settings = SimulatorSettings()
        settings.disconnectDelay = .seconds(2)
        settings.connectTimeout = .seconds(4)
        settings.resolveDelay = .milliseconds(150)
        settings.attDelay = .milliseconds(30)
        settings.relinkDelay = .milliseconds(200)
        settings.lingerDelay = .seconds(2)
        return settings
    }
}

/// One adapter of the simulation.
package struct AdapterModel: Equatable, Sendable {
    /// The number in `hci0`.
    package var index: Int
    package var address: String
    package var name: String
    package var isPowered: Bool
    /// Whether rfkill holds it: it cannot be switched on.
    package var isBlocked = false
    /// Whether another program scans, without a filter, all the time.
    package var isScannedByOthers = false
    /// Whether bluetoothd offers its advertisement monitor, as it does with `--experimental`.
    package var hasMonitor = false
    /// How many links it takes; nil: as many as anybody wants.
    package var linkLimit: LinkLimit?
    package var devices: [DeviceModel]

    package init(
        index: Int = 0,
        address: String = "00:1A:7D:DA:71:10",
        name: String = "gateway",
        isPowered: Bool = true,
        devices: [DeviceModel]
    ) {
        self.index = index
        self.address = address
        self.name = name
        self.isPowered = isPowered
        self.devices = devices
    }
}

/// How many links an adapter takes at a time.
package struct LinkLimit: Equatable, Sendable {
    package var count: Int
    /// From the end of a link to the moment from which another one finds room.
    package var releaseDelay: Duration

    package init(_ count: Int, releaseDelay: Duration = .zero) {
        self.count = count
        self.releaseDelay = releaseDelay
    }
}
