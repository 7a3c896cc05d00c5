internal import DBus
internal import EventLoop

/// When discovery rests while a link is made: the radio is one.
public enum DiscoveryPause: String, Sendable, CaseIterable {
    /// At an adapter where making a link has failed while it listened.
    ///
    /// Linux stops scanning by itself while it makes a link (net/bluetooth/hci_sync.c, `hci_le_create_conn_sync`), and
    /// takes it up again; with most controllers nothing more is needed, and a pause costs what could be heard.
    case auto
    case always
    case never
}

extension BluetoothManager {
    /// Runs a try to make a link with the radio to itself, where that is needed; discovery goes on in any case.
    func withRadio(
        _ adapter: ObjectPath,
        _ scope: OperationScope,
        _ connect: () async throws -> Void
    ) async throws {
        guard let radio = radios[adapter] else { return try await connect() }
        let isListening = radio.discovery.isRunning || tree.adapters[adapter]?.discovering == true
        let isPaused = needsPause(radio)
        if isPaused {
            radio.discovery.pause()
            updateDiscovery()
        }
        defer {
            if isPaused {
                radio.discovery.resume()
                updateDiscovery()
            }
        }
        if isPaused { try await untilQuiet(radio, scope) }
        do {
            try await connect()
        } catch let failure as BleFailure {
            if isListening, !isPaused, Self.isConflict(failure) { radio.hasConflict = true }
            throw failure
        }
    }

    private func needsPause(_ radio: Radio) -> Bool {
        switch configuration.discoveryPause {
        case .auto: radio.hasConflict
        case .always: true
        case .never: false
        }
    }

    /// Waits until no session of ours runs; two seconds at most: bluetoothd may be slow, and the link is what counts.
    private func untilQuiet(_ radio: Radio, _ scope: OperationScope) async throws {
        let patience = Patience(.seconds(2))
        patience.begin(loop) { [weak self] in self?.assumeIsolated { $0.pokeState() } }
        try await wait(scope) {
            patience.isOver || radio.discovery.session == nil && !radio.discovery.calling ? .success(()) : nil
        }
    }

    /// Whether a failure is what a radio says that cannot listen and connect at the same time.
    private static func isConflict(_ failure: BleFailure) -> Bool {
        if failure.kind == .busy { return true }
        return failure.kind == .connectFailed && RetryFamily(connecting: failure, after: nil) == .abortedLocally
    }

    /// How many devices a link is being made to, or searched for.
    package var connecting: Int { links.values.count { $0.isTaken } }

    /// Whether discovery rests at some adapter, because a link is being made.
    package var isDiscoveryPaused: Bool { radios.values.contains { $0.discovery.isPaused } }
}
