internal import BleCore
internal import EventLoop

/// What is told of a device's services.
extension Agent {
    /// Services come and go one attribute at a time: what comes within this time is told at once.
    private static let servicesSpan = Duration.milliseconds(250)

    /// Publishes the services of a device as a retained message.
    func publish(_ services: [GattService], of device: DeviceTarget) {
        let tree = ServiceTree(services)
        guard ResultPayload.services(tree).estimatedBytes <= publisher.results.maxResultBytes else {
            log.warning("Services are too many for a message", [.device: device.address.hex])
            return
        }
        publisher.retain(topics.device(device.name).gatt, .other, GattMessage(device: device, tree: tree).encode)
    }

    /// An attribute of a device has come or gone.
    func servicesChanged(_ address: DeviceAddress) {
        guard servicesTimers[address] == nil else { return }
        servicesTimers[address] = loop.schedule(after: Self.servicesSpan) { [weak self] in
            self?.assumeIsolated { $0.tellServices(of: address) }
        }
    }

    private func tellServices(of address: DeviceAddress) {
        servicesTimers[address] = nil
        guard isInUse(address), let services = manager.assumeIsolated({ $0.knownServices(of: address) }) else { return }
        tell(address, .services)
        publish(services, of: target(address))
        // What a subscription of an earlier life needs may be there now.
        standAgain(address)
    }
}
