internal import DBus
internal import EventLoop

extension BluetoothManager {
    /// Follows the bus and bluetoothd until the task is cancelled; then ends the discovery and the connection.
    ///
    /// A bus that is not there is waited for, with growing gaps.
    public func run() async throws {
        var gap = configuration.busRetry.lowerBound
        defer { leaveBus() }
        while true {
            do {
                try await session { gap = configuration.busRetry.lowerBound }
            } catch let failure as DBusFailure {
                denied = Self.isDenial(failure)
                leaveBus()
                let fault = BusFault(failure)
                // The text of one fault may vary from try to try.
                if fault.name != busFault?.name { onBusFault?(fault) }
                busFault = fault
                startIsOver()
            }
            try await loop.sleep(for: gap * Double.random(in: 0.8...1.2))
            gap = min(gap * 2, configuration.busRetry.upperBound)
        }
    }

    /// One connection to the bus, until it ends.
    private func session(_ connected: () -> Void) async throws {
        let connection = try await DBusConnection.open(address, on: loop, worker: worker)
        do {
            try await follow(connection, connected)
        } catch {
            await connection.close()
            throw error
        }
    }

    private func follow(_ connection: DBusConnection, _ connected: () -> Void) async throws {
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        await connection.setHandler(
            { [weak self] message in self?.assumeIsolated { $0.handle(message) } },
            onDisconnect: { end.finish() }
        )
        // Rules first: nothing may happen between the look at the whole tree and the first signal.
        for rule in Self.rules { try await connection.addMatch(rule) }
        // From here on signals count: what came before is part of the answers to the questions that follow.
        self.connection = connection
        endSession = { end.finish() }
        busConnects += 1
        denied = false
        busFault = nil
        connected()
        let news = ownerNews
        let owner = try await connection.owner(of: BluezNames.service)
        // What the signals have told meanwhile is newer than the answer.
        if news == ownerNews { ownerChanged(owner) }
        if self.owner == nil { startIsOver() }
        stateChanged()
        for await _ in ended {}
        try Task.checkCancellation()
        leaveBus()
    }

    private static let rules: [MatchRule] = [
        MatchRule(sender: BusNames.bus, interface: BusNames.bus, member: "NameOwnerChanged", arg0: BluezNames.service),
        MatchRule(sender: BluezNames.service, interface: BusNames.objectManager),
        MatchRule(
            sender: BluezNames.service,
            interface: BusNames.properties,
            member: "PropertiesChanged",
            pathNamespace: ObjectPath("/org/bluez")
        ),
    ]

    private static func isDenial(_ failure: DBusFailure) -> Bool {
        switch failure {
        case .connect(let name, _), .error(let name, _):
            name == "org.freedesktop.DBus.Error.AccessDenied" || name == "org.freedesktop.DBus.Error.AuthFailed"
        default: false
        }
    }

    /// Gives up the connection: what was out ends as `busLost`.
    private func leaveBus() {
        let connection = self.connection
        if case .registered = pairing.registration { sendToAgents("UnregisterAgent") { _ in } }
        restorePower()
        self.connection = nil
        endSession = nil
        ownerChanged(nil)
        connection?.assumeIsolated { $0.close() }
    }

    private func handle(_ message: DBusMessage) {
        guard connection != nil else { return }
        guard message.kind == .signal else {
            called(message)
            return
        }
        do throws(DBusFailure) {
            if let owner, message.isFrom(owner) {
                try handleSignal(message)
            } else if message.isSignal("org.freedesktop.DBus", "NameOwnerChanged"), message.isFrom(BusNames.bus) {
                var reader = message.reader()
                guard try reader.string() == BluezNames.service else { return }
                reader.skip()
                let new = try reader.string()
                ownerNews += 1
                ownerChanged(new.isEmpty ? nil : new)
            }
        } catch {
            // A signal with another signature than BlueZ's: whoever sent it, it tells us nothing.
        }
    }

    private func handleSignal(_ message: DBusMessage) throws(DBusFailure) {
        if message.isSignal("org.freedesktop.DBus.Properties", "PropertiesChanged") {
            if let change = try tree.propertiesChanged(message, now: WallClock.now()) { apply(change) }
        } else if message.isSignal("org.freedesktop.DBus.ObjectManager", "InterfacesAdded") {
            for change in try tree.interfacesAdded(message, now: WallClock.now()) { apply(change) }
        } else if message.isSignal("org.freedesktop.DBus.ObjectManager", "InterfacesRemoved") {
            for change in try tree.interfacesRemoved(message) { apply(change) }
        }
    }

    /// The bus passes a call to us; the agent is all that there is.
    private func called(_ message: DBusMessage) {
        guard let connection, let call = MethodCall(message, on: connection) else { return }
        if call.path == BluezNames.agentPath, call.interface == BluezNames.agent {
            agentCalled(call)
        } else if !monitorCalled(call) {
            call.fail("org.freedesktop.DBus.Error.UnknownMethod", "no such method")
        }
    }

    /// bluetoothd came, went or was replaced.
    private func ownerChanged(_ new: String?) {
        guard new != owner else { return }
        owner = new
        loaded = false
        treeFault = nil
        treeIsMissing = false
        unsettled = 0
        isProbing = false
        for path in Array(radios.keys) { dropRadio(path) }
        agentForgotten()
        forgetEverything()
        stateChanged()
        if new != nil { loadTree() }
    }

    private func loadTree() {
        guard let connection, let asked = owner else { return }
        let message: DBusMessage
        do throws(DBusFailure) {
            message = try DBusMessage.call(BluezNames.service, .root, BusNames.objectManager, "GetManagedObjects")
        } catch {
            return
        }
        treeLoads += 1
        loop.schedule(after: configuration.answerLimit) { [weak self] in
            self?.assumeIsolated { $0.lookForTree(of: asked) }
        }
        connection.assumeIsolated { connection in
            connection.call(message) { [weak self] outcome in
                self?.assumeIsolated { $0.treeArrived(outcome, from: asked) }
            }
        }
    }

    private func treeArrived(_ outcome: DBusConnection.Outcome, from asked: String) {
        guard owner == asked else { return }
        do throws(DBusFailure) {
            let changes = try tree.load(try outcome.get(), now: WallClock.now())
            loaded = true
            ladder.succeeded(.bus)
            denied = false
            treeFault = nil
            isStarting = false
            for change in changes { apply(change) }
            endAdoption(of: asked)
            stateChanged()
            updateDiscovery()
            if let capability = configuration.pairingCapability { setAgent(capability) }
        } catch {
            denied = Self.isDenial(error)
            treeFault = BusFault(error)
            treeStaysAway()
            // bluetoothd is there and gave no answer that can be read: it may be starting; ask again.
            loop.schedule(after: .seconds(2)) { [weak self] in
                self?.assumeIsolated { manager in
                    if manager.owner == asked, !manager.loaded { manager.loadTree() }
                }
            }
        }
    }

    /// bluetoothd is gone, and with it every object, link and session.
    private func forgetEverything() {
        let gone = tree
        adoptable.formUnion(links.values.filter(\.ours).map(\.address))
        tree = ObjectTree(resolver)
        blockedAdapters = []
        for device in gone.devices.values { apply(.deviceRemoved(device)) }
        for adapter in gone.adapters.values { apply(.adapterRemoved(adapter)) }
        for link in links.values { link.poke() }
    }

    /// Takes up one change of the tree.
    private func apply(_ change: ObjectTree.Change) {
        switch change {
        case .adapterAdded(let path), .adapterChanged(let path):
            guard let adapter = tree.adapters[path] else { return }
            noteName(of: adapter)
            if adapter.powered { blockedAdapters.remove(path) }
            events.send(.adapter(info(adapter)))
            stateChanged()
            updateDiscovery()
        case .adapterRemoved(let adapter):
            dropRadio(adapter.path)
            events.send(.adapterRemoved(adapter.name))
            stateChanged()
            updateDiscovery()
        case .deviceAdded(let path):
            deviceAdded(path)
        case .deviceChanged(let record, let parts):
            deviceChanged(record, parts)
        case .deviceRemoved(let record):
            deviceRemoved(record)
        case .attributesChanged(let path):
            attributesChanged(path)
        case .characteristic(let path, let value, _):
            if let value { valueArrived(value, from: path) }
        }
    }

    /// bluetoothd is there and does not tell what it has.
    func treeStaysAway() {
        treeIsMissing = true
        startIsOver()
    }

    private func startIsOver() {
        isStarting = false
        stateChanged()
    }

    /// Tells those who wait and observe when the overall state is another now.
    func stateChanged() {
        let state = state
        if state != lastState, !isStarting {
            lastState = state
            events.send(.state(state))
            for link in links.values { link.poke() }
        }
        pokeState()
    }
}
