internal import BleCore
internal import Frames

extension ProfileReader {
    /// One way to recognise a device, or a list of them.
    func matches(_ section: Section) -> [DeviceMatch] {
        guard let value = section.value("match") else { return [] }
        return value.oneOrMore(problems, most: 64, "ways to recognise a device").compactMap { match($0) }
    }

    private func match(_ value: Value) -> DeviceMatch? {
        guard let section = Section(value, problems) else { return nil }
        let known = ["services", "name", "manufacturer", "serviceData", "addresses"]
        var match = DeviceMatch()
        if let list = section.value("services") {
            match.services = list.oneOrMore(problems, most: 16, "UUIDs").compactMap { section.uuid($0) }
        }
        if let list = section.value("name") {
            match.names = list.oneOrMore(problems, most: 64, "names").compactMap { value in
                section.form(value, "a name of 1 to 248 bytes, with * and ? for what varies") { text in
                    (1...248).contains(text.utf8.count) ? NameMask(text) : nil
                }
            }
        }
        if let list = section.value("manufacturer") {
            match.manufacturers = list.oneOrMore(problems, most: 8, "companies").compactMap { manufacturer($0) }
        }
        if let list = section.value("serviceData") {
            match.serviceData = list.oneOrMore(problems, most: 8, "services").compactMap { serviceData($0) }
        }
        if let list = section.value("addresses") {
            match.addresses = list.oneOrMore(problems, most: 64, "addresses").compactMap { value in
                section.form(value, "the beginning of an address, as \"a4:c1:38\"") { text in
                    Section.bytes(text).flatMap { (1...6).contains($0.count) ? Hex.text($0) : nil }
                }
            }
        }
        if !known.contains(where: { section.has($0) }) {
            section.problem(nil, "needs one of \(known.joined(separator: ", "))")
        }
        section.finish()
        return match
    }

    /// A company's id alone, or a section with what its payload looks like.
    private func manufacturer(_ value: Value) -> DeviceMatch.Payload<UInt16?>? {
        guard value.scalar == nil else { return company(value).map { DeviceMatch.Payload($0.company) } }
        guard let section = Section(value, problems, "a company's id, or a section of keys") else { return nil }
        defer { section.finish() }
        let company = section.needed("id").flatMap { self.company($0) }
        let shape = shape(section)
        return company.map { DeviceMatch.Payload($0.company, shape) }
    }

    private func serviceData(_ value: Value) -> DeviceMatch.Payload<BluetoothUUID>? {
        if value.scalar != nil {
            return Section.form(value, problems).map { DeviceMatch.Payload($0) }
        }
        guard let section = Section(value, problems, "a UUID, or a section of keys") else { return nil }
        defer { section.finish() }
        let uuid = section.needed("uuid").flatMap { section.uuid($0) }
        let shape = shape(section)
        return uuid.map { DeviceMatch.Payload($0, shape) }
    }

    /// A company's id of four hexadecimal digits, or `any`.
    func company(_ value: Value) -> CompanyName? {
        if value.scalar == "any" { return CompanyName(company: nil) }
        if let text = value.scalar, text.utf8.count == 4, let bytes = Section.bytes(text), bytes.count == 2 {
            return CompanyName(company: UInt16(bytes[0]) << 8 | UInt16(bytes[1]))
        }
        value.refuse("a company's id of 4 hexadecimal digits, or any", problems)
        return nil
    }

    /// What a payload looks like: `prefix`, `mask` and `length`.
    func shape(_ section: Section) -> PayloadShape {
        var shape = PayloadShape()
        shape.prefix = section.bytes("prefix") ?? []
        if let mask = section.bytes("mask") {
            shape.mask = mask
            if mask.count != shape.prefix.count {
                section.problem("mask", "has to be as long as prefix, which has \(shape.prefix.count) bytes")
            }
        }
        shape.lengths = section.lengths("length")
        return shape
    }
}

/// A company, or any.
struct CompanyName {
    let company: UInt16?
}

extension ProfileSection {
    /// A UUID that stands alone.
    fileprivate static func form(_ value: Value, _ problems: ProblemList) -> BluetoothUUID? {
        if let uuid = value.scalar.flatMap({ BluetoothUUID($0) }) { return uuid }
        value.refuse("a UUID of 4, 8 or 32 hexadecimal digits", problems)
        return nil
    }
}
