internal import DBus
internal import EventLoop

/// Passive scanning, by an advertisement monitor at each adapter that has one.
///
/// Source: BlueZ 5.66, doc/advertisement-monitor-api.txt. The objects are ours: bluetoothd asks for them and calls them.
extension BluetoothManager {
    /// How a request listens at an adapter.
    enum Listening { case active, passive, never }

    /// How a request listens at an adapter; never where it wants what the adapter has not.
    func listening(_ request: ScanRequest, at adapter: AdapterRecord) -> Listening {
        guard request.mayUse(adapter.name) else { return .never }
        switch request.mode {
        case .active: return .active
        case .passive: return adapter.hasMonitor ? .passive : .never
        case .auto: return configuration.scansPassively && adapter.hasMonitor ? .passive : .active
        }
    }

    /// Adds a demand to what an adapter is to hear.
    func add(_ request: ScanRequest, as number: Int, to radio: Radio) {
        guard let adapter = tree.adapters[radio.path] else { return }
        switch listening(request, at: adapter) {
        case .active: radio.discovery.add(request, as: number)
        case .passive: radio.monitor.add(request, as: number)
        case .never: break
        }
    }

    /// Takes the next step of an adapter's monitor, if there is one.
    func updateMonitor(_ radio: Radio) {
        guard let connection, tree.adapters[radio.path]?.powered == true else { return }
        let now = ContinuousClock.now
        guard let step = radio.monitor.next(now: now) else {
            if radio.monitor.isWanted, let notBefore = radio.monitor.notBefore, notBefore > now {
                loop.schedule(at: notBefore) { [weak self, path = radio.path] in
                    self?.assumeIsolated { manager in
                        guard manager.radios[path]?.monitor.notBefore == notBefore else { return }
                        manager.updateDiscovery()
                    }
                }
            }
            return
        }
        let message: DBusMessage
        do throws(DBusFailure) {
            let member = step == .unregister ? "UnregisterMonitor" : "RegisterMonitor"
            message = try .call(BluezNames.service, radio.path, BluezNames.monitorManager, member)
                .append { (writer) throws(DBusFailure) in try writer.append(path: BluezNames.monitors(of: radio.name)) }
        } catch {
            return
        }
        radio.monitor.began(step)
        let (asked, path, number) = (owner, radio.path, ObjectIdentifier(radio))
        connection.assumeIsolated { connection in
            connection.call(message) { [weak self] outcome in
                self?.assumeIsolated { manager in
                    guard manager.owner == asked, let radio = manager.radios[path], ObjectIdentifier(radio) == number
                    else { return }
                    radio.monitor.ended(step, outcome, now: .now)
                    manager.pokeState()
                    manager.updateDiscovery()
                }
            }
        }
    }

    /// Answers a call to one of the monitors' objects; false when it is none.
    func monitorCalled(_ call: MethodCall) -> Bool {
        guard let radio = radios.values.first(where: { call.path.isWithin(BluezNames.monitors(of: $0.name)) }) else {
            return false
        }
        guard let owner, call.sender == owner else {
            call.fail("org.freedesktop.DBus.Error.AccessDenied", "only bluetoothd may ask this")
            return true
        }
        switch (call.interface, call.member) {
        case (BusNames.objectManager, "GetManagedObjects"): call.reply(managedMonitors(radio))
        case (BusNames.properties, "GetAll"): call.reply(.properties(Self.properties(radio.monitor.registered ?? [])))
        case (BluezNames.monitor, "Activate"):
            call.reply()
            radio.monitor.activated()
            pokeState()
        case (BluezNames.monitor, "Release"):
            call.reply()
            radio.monitor.released(now: .now)
            pokeState()
            updateDiscovery()
        // What is heard comes as changes of the devices themselves.
        case (BluezNames.monitor, "DeviceFound"), (BluezNames.monitor, "DeviceLost"): call.reply()
        default: call.fail("org.freedesktop.DBus.Error.UnknownMethod", "no such method")
        }
        return true
    }

    private func managedMonitors(_ radio: Radio) -> DBusValue {
        let type = "a{sa{sv}}"
        guard let patterns = radio.monitor.registered else { return .dictionary(key: "o", value: type, []) }
        let interfaces = DBusValue.dictionary(
            key: "s",
            value: "a{sv}",
            [.init(.string(BluezNames.monitor), .properties(Self.properties(patterns)))]
        )
        let path = ObjectPath(BluezNames.monitors(of: radio.name).text + "/all") ?? .root
        return .dictionary(key: "o", value: type, [.init(.path(path), interfaces)])
    }

    private static func properties(_ patterns: [AdvertisementPattern]) -> [(String, DBusValue)] {
        let values = patterns.map { pattern in
            DBusValue.structure([.byte(pattern.start), .byte(pattern.type), .bytes(pattern.content)])
        }
        return [("Type", .string("or_patterns")), ("Patterns", .array(of: "(yyay)", values))]
    }
}
