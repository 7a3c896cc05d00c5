/// Bytes that may change each time they are asked for: parts one after the other.
///
/// Used for advertisements, for values that are read and for notifications.
package struct PayloadModel: Equatable, Sendable {
    /// One part of a payload.
    package enum Part: Equatable, Sendable {
        case bytes([UInt8])
        /// A number that grows by one with every `every` payloads and wraps.
        case counter(Integer, every: UInt64 = 1)
        /// A number that wanders by at most `step` a payload, within the range.
        case walk(Integer, from: Int64, in: ClosedRange<Int64>, step: Int64, every: UInt64 = 1)
    }

    /// How a number is written.
    package struct Integer: Equatable, Sendable {
        package let bytes: Int
        package let bigEndian: Bool

        /// - Parameters:
        ///   - bytes: 1 to 8.
        ///   - bigEndian: the most significant byte first.
        package init(bytes: Int, bigEndian: Bool = false) {
            self.bytes = min(max(bytes, 1), 8)
            self.bigEndian = bigEndian
        }

        package static let uint8 = Integer(bytes: 1)
        package static let uint16 = Integer(bytes: 2)
        package static let uint16BigEndian = Integer(bytes: 2, bigEndian: true)
        package static let uint24 = Integer(bytes: 3)
    }

    package let parts: [Part]

    package init(_ parts: Part...) { self.parts = parts }

    package init(parts: [Part]) { self.parts = parts }

    /// Bytes that never change.
    package static func fixed(_ bytes: [UInt8]) -> PayloadModel { PayloadModel(.bytes(bytes)) }
}

/// Produces the successive payloads of one model.
struct PayloadSource {
    private let model: PayloadModel
    private var random: SeededRandom
    private var count: UInt64 = 0
    private var walks: [Int: Int64] = [:]

    init(_ model: PayloadModel, random: SeededRandom) {
        self.model = model
        self.random = random
    }

    mutating func next() -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, part) in model.parts.enumerated() {
            switch part {
            case .bytes(let fixed): bytes += fixed
            case .counter(let format, let every):
                Self.append(count / max(every, 1), format, to: &bytes)
            case .walk(let format, let start, let range, let step, let every):
                var value = walks[index] ?? start
                if count > 0, count.isMultiple(of: max(every, 1)) {
                    let moved = value.addingReportingOverflow(Int64.random(in: -abs(step)...abs(step), using: &random))
                    value = moved.overflow ? value : moved.partialValue
                }
                value = min(max(value, range.lowerBound), range.upperBound)
                walks[index] = value
                Self.append(UInt64(bitPattern: value), format, to: &bytes)
            }
        }
        count += 1
        return bytes
    }

    private static func append(_ value: UInt64, _ format: PayloadModel.Integer, to bytes: inout [UInt8]) {
        for position in 0..<format.bytes {
            let place = format.bigEndian ? format.bytes - 1 - position : position
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * place)))
        }
    }
}
