import Foundation
import Glibc
import EventLoop

/// How a scripted broker treats one connection.
package struct BrokerBehaviour: Sendable {
    package enum Answer: Sendable, Equatable {
        /// CONNACK with success.
        case accept(sessionPresent: Bool = false)
        /// CONNACK with a code, then the connection is closed.
        case refuse(UInt8)
        /// CONNACK in the form of 3.1.1, whatever the client speaks.
        case refuseAs311(UInt8)
        /// Closed without CONNACK.
        case close
        /// Never a byte.
        case silence
    }

    package var connect = Answer.accept()
    /// Properties of CONNACK on MQTT 5, as on the wire and without their length.
    package var connackProperties: [UInt8] = []
    /// The code of each SUBACK; nil: none is sent.
    package var suback: UInt8? = 1
    /// The code of each PUBACK (0 on 3.1.1); nil: none is sent.
    package var puback: UInt8? = 0
    /// A topic whose messages make it cut the connection.
    package var hangsUpOn: String?
    /// Raw packets that follow CONNACK.
    package var afterConnack: [[UInt8]] = []

    package init(_ connect: Answer = .accept()) { self.connect = connect }
}

/// A packet that a scripted broker received.
package struct BrokerPacket: Sendable, Equatable {
    /// Counted from 0.
    package var connection: Int
    package var type: UInt8
    package var flags: UInt8
    package var body: [UInt8]

    package static let connect: UInt8 = 1
    package static let publish: UInt8 = 3
    package static let subscribe: UInt8 = 8
    package static let disconnect: UInt8 = 14

    /// The level of the protocol in CONNECT: 4 for 3.1.1, 5 for 5.
    package var level: UInt8? { type == Self.connect && body.count > 6 ? body[6] : nil }
    /// The topic of PUBLISH.
    package var topic: String? {
        guard type == Self.publish, body.count >= 2 else { return nil }
        let end = 2 + (Int(body[0]) << 8 | Int(body[1]))
        return body.count >= end ? String(decoding: body[2..<end], as: UTF8.self) : nil
    }
}

/// A broker that only does what a test tells it, for what mosquitto cannot be made to do.
package final class ScriptedBroker: Sendable {
    package let port: Int
    package let packets = Log<BrokerPacket>()
    /// Connections that have ended, by number.
    package let ends = Log<Int>()
    private let listener: Int32
    private let behaviours: [BrokerBehaviour]
    private let present = Locked<Int32>(-1)

    /// Listens, and treats the n-th connection as the n-th behaviour says; the last is for all that follow.
    ///
    /// - Parameter behaviours: at least one.
    /// - Throws: `ChildProcess.Failure` when there is no port.
    package init(_ behaviours: [BrokerBehaviour]) throws {
        self.behaviours = behaviours
        (listener, port) = try listenOnLoopback()
        let listener = listener
        Thread.detachNewThread { [weak self] in
            for number in 0... {
                let socket = accept(listener, nil, nil)
                guard socket >= 0, let broker = self else { break }
                Thread.detachNewThread { broker.serve(socket, number) }
            }
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Sends raw bytes on the latest connection.
    package func send(_ bytes: [UInt8]) { present.withLock { Self.send(bytes, to: $0) } }

    /// Cuts the latest connection off, with a reset.
    package func reset() {
        present.withLock { socket in
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
            shutdown(socket, Int32(SHUT_RDWR))
        }
    }

    private func serve(_ socket: Int32, _ number: Int) {
        present.withLock { $0 = socket }
        let behaviour = behaviours[min(number, behaviours.count - 1)]
        var level: UInt8 = 4
        while let packet = Self.receive(socket, number) {
            packets.append(packet)
            level = packet.level ?? level
            guard answer(packet, behaviour, level, socket) else { break }
        }
        present.withLock { if $0 == socket { $0 = -1 } }
        // A child that was started meanwhile may hold the descriptor too: closing it would not end the connection.
        shutdown(socket, Int32(SHUT_RDWR))
        close(socket)
        ends.append(number)
    }

    private func answer(_ packet: BrokerPacket, _ behaviour: BrokerBehaviour, _ level: UInt8, _ socket: Int32) -> Bool {
        let isV5 = level == 5
        switch packet.type {
        case BrokerPacket.connect:
            switch behaviour.connect {
            case .accept(let present):
                let properties = isV5 ? [UInt8(behaviour.connackProperties.count)] + behaviour.connackProperties : []
                Self.send(Self.packet(0x20, [present ? 1 : 0, 0] + properties), to: socket)
                for bytes in behaviour.afterConnack { Self.send(bytes, to: socket) }
            case .refuse(let code):
                Self.send(Self.packet(0x20, [0, code] + (isV5 ? [0] : [])), to: socket)
                return false
            case .refuseAs311(let code):
                Self.send([0x20, 2, 0, code], to: socket)
                return false
            case .close: return false
            case .silence: break
            }
        case BrokerPacket.subscribe:
            guard let code = behaviour.suback, packet.body.count >= 2 else { break }
            Self.send(Self.packet(0x90, Array(packet.body[..<2]) + (isV5 ? [0] : []) + [code]), to: socket)
        case BrokerPacket.publish:
            if let topic = behaviour.hangsUpOn, packet.topic == topic { return false }
            guard let code = behaviour.puback, packet.flags & 0x06 != 0, let topic = packet.topic else { break }
            let start = 2 + topic.utf8.count
            guard packet.body.count >= start + 2 else { break }
            let id = Array(packet.body[start..<start + 2])
            Self.send(Self.packet(0x40, isV5 && code != 0 ? id + [code, 0] : id), to: socket)
        case 12:
            Self.send([0xD0, 0], to: socket)
        default: break
        }
        return true
    }

    /// Puts a first byte and a length before a body.
    ///
    /// - Parameters:
    ///   - first: type and flags.
    ///   - body: at most 16,383 bytes.
    /// - Returns: the packet.
    package static func packet(_ first: UInt8, _ body: [UInt8]) -> [UInt8] {
        let length = body.count < 128 ? [UInt8(body.count)] : [UInt8(body.count & 127) | 128, UInt8(body.count >> 7)]
        return [first] + length + body
    }

    private static func receive(_ socket: Int32, _ number: Int) -> BrokerPacket? {
        guard let first = receive(1, from: socket)?.first else { return nil }
        var length = 0
        for shift in [0, 7, 14, 21] {
            guard let byte = receive(1, from: socket)?.first else { return nil }
            length |= Int(byte & 127) << shift
            if byte < 128 { break }
        }
        guard let body = receive(length, from: socket) else { return nil }
        return BrokerPacket(connection: number, type: first >> 4, flags: first & 15, body: body)
    }

    private static func receive(_ count: Int, from socket: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var have = 0
        while have < count {
            let got = bytes.withUnsafeMutableBytes { recv(socket, $0.baseAddress?.advanced(by: have), count - have, 0) }
            guard got > 0 else { return nil }
            have += got
        }
        return bytes
    }

    private static func send(_ bytes: [UInt8], to socket: Int32) {
        _ = bytes.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }
}
