package import BleCore

/// One rule: which commands it meets, and what becomes of them.
///
/// A list that is nil sets no condition.
package struct PolicyRule: Sendable, Equatable {
    package enum Effect: String, Sendable, CaseIterable {
        case allow, deny
    }

    package var effect: Effect
    package var verbs: [PolicyVerbs]
    package var callers: [PolicyCallers]?
    package var devices: [PolicyDevices]?
    package var services: [BluetoothUUID]?
    package var characteristics: [BluetoothUUID]?
    /// Whether an allowing rule is also for commands that came on `all/cmd`; a denying one always is.
    package var isForAll: Bool
    package var line: PolicyLine

    package init(
        _ effect: Effect,
        _ verbs: [PolicyVerbs],
        callers: [PolicyCallers]? = nil,
        devices: [PolicyDevices]? = nil,
        services: [BluetoothUUID]? = nil,
        characteristics: [BluetoothUUID]? = nil,
        isForAll: Bool = false,
        line: PolicyLine = PolicyLine(nil)
    ) {
        self.effect = effect
        self.verbs = verbs
        self.callers = callers
        self.devices = devices
        self.services = services
        self.characteristics = characteristics
        self.isForAll = isForAll
        self.line = line
    }

    /// Whether the rule decides a question.
    package func meets(_ question: PolicyQuestion) -> Bool {
        if effect == .allow, question.isOnAll, !isForAll { return false }
        return meetsAllButAttributes(question) && meetsAttributes(question)
    }

    /// Whether the rule would meet every command, so that no rule behind it is ever asked.
    package var meetsEverything: Bool {
        verbs.contains(.any) && callers == nil && devices == nil && !limitsAttributes && (effect == .deny || isForAll)
    }

    /// Whether the rule allows the question but for attributes that are named by their handle alone.
    func isBlindTo(_ question: PolicyQuestion) -> Bool {
        guard effect == .allow, limitsAttributes, !question.isOnAll || isForAll, !question.attributes.isEmpty else {
            return false
        }
        return meetsAllButAttributes(question) && question.attributes.allSatisfy(mayContain)
    }

    private var limitsAttributes: Bool { services != nil || characteristics != nil }

    private func meetsAllButAttributes(_ question: PolicyQuestion) -> Bool {
        verbs.contains { $0.contain(question) }
            && callers?.contains { $0.contain(question.identity) } ?? true
            && devices?.contains { $0.contain(question.device) } ?? true
    }

    /// Whether the rule is for what the command touches.
    ///
    /// The services of a device may not be known when its command arrives, so that nobody can say then what stands at a
    /// handle. To allow, each attribute has to be known to be within the rule; to deny, it suffices that one may be.
    private func meetsAttributes(_ question: PolicyQuestion) -> Bool {
        guard limitsAttributes else { return true }
        guard !question.attributes.isEmpty else { return false }
        return switch effect {
        case .allow: question.attributes.allSatisfy(contains)
        case .deny: question.attributes.contains(where: mayContain)
        }
    }

    private func contains(_ attribute: AttributeSelector) -> Bool {
        let inServices = services.map { services in attribute.service.map { services.contains($0) } ?? false }
        let among = characteristics.map { uuids in attribute.characteristic.map { uuids.contains($0) } ?? false }
        return inServices ?? true && among ?? true
    }

    private func mayContain(_ attribute: AttributeSelector) -> Bool {
        let inServices = services.map { services in attribute.service.map { services.contains($0) } ?? true }
        let among = characteristics.map { uuids in attribute.characteristic.map { uuids.contains($0) } ?? true }
        return inServices ?? true && among ?? true
    }
}

/// The line of the configuration where a rule stands: no part of what the rule means, so that all are equal.
package struct PolicyLine: Sendable, Equatable {
    /// From 1; nil for a rule that stands in no file.
    package let number: Int?

    package init(_ number: Int?) { self.number = number }

    package static func == (left: Self, right: Self) -> Bool { true }
}
