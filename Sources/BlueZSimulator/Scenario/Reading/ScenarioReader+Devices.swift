/// Devices, what they say on the air, and their attributes.
extension ScenarioReader {
    /// - Returns: the device and the number of its adapter.
    func device(_ value: Value) -> (DeviceModel, Int)? {
        guard let section = ScenarioSection(value, problems) else { return nil }
        var device = template(section) ?? DeviceModel(address: "", advertisement: AdvertisementModel())
        let addressKey = section.keys.contains("like") ? section.value("address") : section.needed("address")
        take(addressKey.flatMap { Scalars.address($0, problems) }, &device.address)
        if let type = section.value("addressType") {
            take(choice(type, ["public": DeviceModel.AddressType.public, "random": .random]), &device.addressType)
        }
        let adapter = section.number("adapter", 0...255) ?? 0
        take(section.number("mtu", 23...517).map { UInt16($0) }, &device.mtu)
        take(section.duration("connectMs"), &device.connectDelay)
        take(section.flag("answers"), &device.acceptsLinks)
        take(section.flag("known"), &device.isKnown)
        if section.flag("paired") ?? false {
            device.isKnown = true
            device.isPaired = true
        }
        if let pairing = section.section("pairing") { device.pairing = self.pairing(pairing) }
        if let resolve = section.value("resolveMs") {
            device.resolveTime =
                resolve.scalar == "never"
                ? .never : Scalars.number(resolve, 0...3_600_000, problems).map { .after(.milliseconds($0)) }
        }
        if let air = section.section("advertise") { read(air, into: &device.advertisement) }
        if let services = section.value("services") {
            device.services = services.items(problems).compactMap { service($0) }
        }
        section.finish()
        return (device, adapter)
    }

    /// A device of the demonstration that this one is like.
    private func template(_ section: ScenarioSection) -> DeviceModel? {
        guard let like = section.value("like") else { return nil }
        return choice(
            like,
            [
                "thermometer": DemoDevices.thermometer, "heart": DemoDevices.heart, "battery": DemoDevices.battery,
                "framer": DemoDevices.framer, "bthome": DemoDevices.bthome, "ibeacon": DemoDevices.iBeacon,
                "ruuvi": DemoDevices.ruuvi,
            ]
        )
    }

    private func pairing(_ section: ScenarioSection) -> PairingModel {
        var pairing = PairingModel()
        let prompts = Dictionary(uniqueKeysWithValues: PairingModel.Prompt.allCases.map { ($0.rawValue, $0) })
        take(section.value("prompt").flatMap { choice($0, prompts) }, &pairing.prompt)
        take(section.number("passkey", 0...999_999).map { UInt32($0) }, &pairing.passkey)
        take(section.text("pin"), &pairing.pin)
        if let typed = section.value("typedMs") {
            pairing.typedAfter =
                typed.scalar == "never" ? nil : Scalars.number(typed, 0...3_600_000, problems).map { .milliseconds($0) }
        }
        take(section.flag("bonds"), &pairing.bonds)
        section.finish()
        return pairing
    }

    private func read(_ section: ScenarioSection, into air: inout AdvertisementModel) {
        if let name = section.text("name") { air.name = name }
        take(section.number("flags", 0...255).map { UInt8($0) }, &air.flags)
        if let services = section.value("services") {
            air.services = services.items(problems).compactMap { Scalars.uuid($0, problems) }
        }
        if let fields = section.section("manufacturer") {
            air.manufacturer = fields.everything().compactMap { key, value in
                guard let company = Scalars.integer(key), let company = UInt16(exactly: company) else {
                    problems.add(value.line, value.path, "the key must be a company's number, 0 to 65535, as 0x004c")
                    return nil
                }
                return payload(value).map { .init(company, $0) }
            }
        }
        if let fields = section.section("serviceData") {
            air.serviceData = fields.everything().compactMap { key, value in
                guard DiscoveryFilter.isUUID(key) else {
                    problems.add(value.line, value.path, "the key must be a UUID of 4, 8 or 36 characters")
                    return nil
                }
                return payload(value).map { .init(key, $0) }
            }
        }
        if let power = section.number("txPower", -127...20) { air.txPower = Int16(power) }
        if let appearance = section.number("appearance", 0...65_535) { air.appearance = UInt16(appearance) }
        take(section.number("intervalMs", 1...3_600_000).map { .milliseconds($0) }, &air.interval)
        take(section.number("rssi", -127...(-1)).map { Int16($0) }, &air.rssi)
        take(section.number("rssiSpread", 0...60).map { Int16($0) }, &air.rssiSpread)
        take(section.flag("connectable"), &air.isConnectable)
        section.finish()
    }

    private func service(_ value: Value) -> ServiceModel? {
        guard let section = ScenarioSection(value, problems) else { return nil }
        var service = ServiceModel("", [])
        take(section.needed("uuid").flatMap { Scalars.uuid($0, problems) }, &service.uuid)
        take(section.flag("primary"), &service.isPrimary)
        service.characteristics = section.items("characteristics").compactMap { characteristic($0) }
        section.finish()
        return service
    }

    private func characteristic(_ value: Value) -> CharacteristicModel? {
        guard let section = ScenarioSection(value, problems) else { return nil }
        var characteristic = CharacteristicModel("", [])
        take(section.needed("uuid").flatMap { Scalars.uuid($0, problems) }, &characteristic.uuid)
        for flag in section.needed("flags")?.items(problems) ?? [] {
            if let flag = choice(flag, Self.flags) { characteristic.flags.insert(flag) }
        }
        take(section.value("value").flatMap { payload($0) }, &characteristic.value)
        take(section.number("limit", 0...512), &characteristic.limit)
        if let code = section.number("readError", 1...255) { characteristic.read = .error(UInt8(code)) }
        characteristic.write = write(section)
        take(section.flag("needsPairing"), &characteristic.needsPairing)
        characteristic.notifyEvery = section.number("notifyMs", 1...3_600_000).map { .milliseconds($0) }
        characteristic.descriptors = section.items("descriptors").compactMap { descriptor($0) }
        section.finish()
        return characteristic
    }

    private func write(_ section: ScenarioSection) -> CharacteristicModel.Write {
        let accepted = section.value("accepts")?.items(problems).compactMap { Scalars.bytes($0, problems) }
        let error = section.number("writeError", 1...255).map { UInt8($0) }
        let answers = section.uuid("answersOn")
        if let answers {
            if accepted != nil || error != nil {
                problems.add(
                    section.line,
                    section.path,
                    "\"answersOn\" goes with neither \"accepts\" nor \"writeError\""
                )
            }
            return .frames(answersOn: answers)
        }
        return accepted == nil && error == nil ? .store : .accept(accepted ?? [], error: error ?? 0x80)
    }

    private func descriptor(_ value: Value) -> DescriptorModel? {
        guard let section = ScenarioSection(value, problems) else { return nil }
        var descriptor = DescriptorModel("", value: [])
        take(section.needed("uuid").flatMap { Scalars.uuid($0, problems) }, &descriptor.uuid)
        take(section.bytes("value"), &descriptor.value)
        take(section.flag("writable"), &descriptor.isWritable)
        section.finish()
        return descriptor
    }

    static let flags: [String: CharacteristicModel.Flags] = [
        "broadcast": .broadcast, "read": .read, "write-without-response": .writeCommand, "write": .write,
        "notify": .notify, "indicate": .indicate,
    ]

    /// One of several words.
    func choice<Result>(_ value: Value, _ choices: [String: Result]) -> Result? {
        if let word = value.scalar, let found = choices[word] { return found }
        return Scalars.refuse(value, "one of " + choices.keys.sorted().joined(separator: ", "), problems)
    }
}
