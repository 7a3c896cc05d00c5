import EventLoop
import MQTT
import TestSupport

/// What a number of commands took.
struct Run: Sendable {
    let perSecond: Double
    /// In microseconds, sorted.
    let latencies: [Double]

    func quantile(_ part: Double) -> Double {
        latencies.isEmpty ? 0 : latencies[min(latencies.count - 1, Int(Double(latencies.count) * part))]
    }
}

/// Keeps a number of commands under way until enough of them have their results.
final class Load: @unchecked Sendable {
    // Safe because: confined to the loop of the client, but for the closures that enter it there.
    private let client: MQTTClient
    private let loop: EventLoop
    private var run: Current?
    private var lastID = 0

    private struct Current {
        let payloads: [(topic: String, rest: String)]
        let count: Int
        var sent = 0
        var latencies: [Double] = []
        let begin = ContinuousClock.now
        /// When each command under way was sent, and to which of the places.
        var underWay: [String: (place: Int, since: ContinuousClock.Instant)] = [:]
        let done: CheckedContinuation<Run, any Error>
    }

    struct Failed: Error, CustomStringConvertible { let description: String }

    init(_ client: MQTTClient, on loop: EventLoop) {
        self.client = client
        self.loop = loop
    }

    /// Sends commands, so many at a time, spread over the places; with as many as there are places one for each.
    func measure(_ payloads: [(topic: String, rest: String)], count: Int, outstanding: Int) async throws -> Run {
        try await withCheckedThrowingContinuation { done in
            loop.execute {
                self.run = Current(payloads: payloads, count: count, done: done)
                for place in 0..<outstanding { self.send(to: place % payloads.count) }
            }
        }
    }

    private func send(to place: Int) {
        guard var current = run, current.sent < current.count else { return }
        lastID += 1
        let id = "b\(lastID)"
        current.sent += 1
        current.underWay[id] = (place, .now)
        run = current
        let (topic, rest) = current.payloads[place]
        let payload = Array("{\"id\":\"\(id)\",\"client\":\"bench\",\(rest)}".utf8)
        let refusal = client.assumeIsolated { $0.publish(MQTTPublication(topic: topic, payload: payload)) }
        if let refusal { end(.failure(Failed(description: "not sent: \(refusal)"))) }
    }

    /// Takes a message up; on the loop.
    func heard(_ message: MQTTMessage) {
        guard let id = message.topic.split(separator: "/").last.map(String.init),
            let (place, since) = run?.underWay.removeValue(forKey: id)
        else { return }
        let text = String(decoding: message.payload, as: UTF8.self)
        guard text.contains(#""status":"ok""#) else { return end(.failure(Failed(description: text))) }
        run?.latencies.append(Self.microseconds(.now - since))
        guard let current = run, current.latencies.count == current.count else { return send(to: place) }
        let seconds = Self.microseconds(.now - current.begin) / 1e6
        end(.success(Run(perSecond: Double(current.count) / seconds, latencies: current.latencies.sorted())))
    }

    private func end(_ result: Result<Run, any Error>) {
        let done = run?.done
        run = nil
        done?.resume(with: result)
    }

    private static func microseconds(_ span: Duration) -> Double {
        Double(span.components.seconds) * 1e6 + Double(span.components.attoseconds) / 1e12
    }
}
