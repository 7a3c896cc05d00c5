internal import DBus
internal import EventLoop

/// Notify sessions: each belongs to a client, outlives the link and ends with its client.
extension SimulatedCharacteristic {
    func startNotify(_ call: IncomingCall) throws(BluezError) {
        guard !device.isDisconnecting else { throw .notConnected }
        guard canNotify else { throw .notSupported }
        if let client = notifyClients.first(where: { $0.sender == call.sender }) {
            guard client.isActive else { throw .inProgress }
            return call.reply()
        }
        notifyClients.append(NotifyClient(sender: call.sender))
        // Without a link the session is kept for the next one, and that is called a success.
        guard device.bearer != nil else { return call.reply() }
        activate(call.sender) { error in
            if let error { call.fail(.att(error.code)) } else { call.reply() }
        }
    }

    func stopNotify(_ call: IncomingCall) throws(BluezError) {
        guard notifyClients.contains(where: { $0.sender == call.sender }) else {
            throw .failed("No notify session started")
        }
        endSession(of: call.sender)
        call.reply()
    }

    /// Ends the session of a client that left, or that asked for it.
    func endSession(of sender: String) {
        guard notifyClients.contains(where: { $0.sender == sender }) else { return }
        notifyClients.removeAll { $0.sender == sender }
        if !notifyClients.contains(where: { $0.isActive || $0.isStarting }) {
            device.peripheral.unsubscribe(layout.valueHandle)
        }
        guard isNotifying, !notifyClients.contains(where: \.isActive) else { return }
        isNotifying = false
        device.tree.changed(path, self, "Notifying")
    }

    /// A link is there: sessions from before are taken up again.
    func resumeSessions() {
        for client in notifyClients { activate(client.sender) { _ in } }
    }

    /// The link is gone.
    ///
    /// `Notifying` stays as it was: bluetoothd keeps the sessions.
    func suspendSessions() {
        for index in notifyClients.indices {
            notifyClients[index].isActive = false
            notifyClients[index].isStarting = false
        }
    }

    /// A notification has come.
    ///
    /// Every active session announces it once.
    func received(_ bytes: [UInt8]) {
        for _ in 0..<notifyClients.count(where: \.isActive) { store(bytes) }
    }

    private func activate(_ sender: String, _ done: @escaping (AttError?) -> Void) {
        guard let bearer = device.bearer, let index = notifyClients.firstIndex(where: { $0.sender == sender }) else {
            return done(.unlikely)
        }
        notifyClients[index].isStarting = true
        bearer.submit { [self] in
            guard let index = notifyClients.firstIndex(where: { $0.sender == sender }) else { return done(nil) }
            notifyClients[index].isStarting = false
            notifyClients[index].isActive = true
            device.peripheral.subscribe(layout.valueHandle)
            let greeting = layout.model.greeting
            if let first = greeting?.values.first, greeting?.precedesNotifying == true { received(first) }
            if !isNotifying {
                isNotifying = true
                device.tree.changed(path, self, "Notifying")
            }
            if let greeting { greet(greeting, done) } else { done(nil) }
        } abandon: { [self] in
            notifyClients.removeAll { $0.sender == sender }
            done(.unlikely)
        }
    }

    /// Notifies what a hasty device has to say, and answers only then.
    private func greet(_ greeting: CharacteristicModel.Greeting, _ done: @escaping (AttError?) -> Void) {
        let rest = greeting.values.dropFirst(greeting.precedesNotifying ? 1 : 0)
        for (index, value) in rest.enumerated() {
            device.loop.schedule(after: .milliseconds(index)) { [weak self] in self?.received(value) }
        }
        device.loop.schedule(after: greeting.replyDelay) { done(nil) }
    }
}
