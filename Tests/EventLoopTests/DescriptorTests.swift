import EventLoop
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct DescriptorTests {
    @Test func `a watch reports reading, writing and the other side's end`() async throws {
        try await withLoop { loop async throws in
            let (near, far) = try descriptorPair()
            let seen = Log<UInt32>()
            try await onLoop(loop) {
                try loop.watch(near, for: .readable) { readiness in
                    seen.append(readiness.rawValue)
                    var bytes = [UInt8](repeating: 0, count: 16)
                    if read(near, &bytes, 16) == 0 { loop.unwatch(near) }
                    if readiness.contains(.writable) { loop.update(near, interest: .readable) }
                }
            }
            _ = write(far, "x", 1)
            try await seen.wait { $0 == EventLoop.Readiness.readable.rawValue }
            try await onLoop(loop) { loop.update(near, interest: [.readable, .writable]) }
            _ = write(far, "x", 1)
            try await seen.wait { EventLoop.Readiness(rawValue: $0).contains(.writable) }
            close(far)
            let last = try await seen.wait { !EventLoop.Readiness(rawValue: $0).isDisjoint(with: .hangup) }
            #expect(EventLoop.Readiness(rawValue: last).contains(.readable))
            close(near)
        }
    }

    @Test func `a descriptor that is reused within a batch does not get its predecessor's event`() async throws {
        try await withLoop { loop async throws in
            let first = try descriptorPair()
            let second = try descriptorPair()
            let calls = Log<String>()
            try await onLoop(loop) {
                // Both are ready in one batch: whichever comes first replaces the other by a quiet one of its number.
                for (name, mine, other) in [("first", first, second), ("second", second, first)] {
                    try loop.watch(mine.near, for: .readable) { _ in
                        calls.append(name)
                        loop.unwatch(mine.near)
                        loop.unwatch(other.near)
                        var ends: [Int32] = [-1, -1]
                        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { return }
                        dup2(ends[0], other.near)
                        close(ends[0])
                        do {
                            try loop.watch(other.near, for: .readable) { _ in calls.append("stale") }
                        } catch {
                            calls.append("failed")
                        }
                        loop.schedule(after: .milliseconds(20)) {
                            loop.unwatch(other.near)
                            close(ends[1])
                            calls.append("end")
                        }
                    }
                }
                _ = write(first.far, "x", 1)
                _ = write(second.far, "x", 1)
            }
            try await calls.wait { $0 == "end" }
            #expect(calls.all.count == 2)
            #expect(!calls.all.contains("stale"))
            for end in [first.near, first.far, second.near, second.far] { close(end) }
        }
    }

    @Test func `an unwatched descriptor is silent, and a second watch is refused`() async throws {
        try await withLoop { loop async throws in
            let (near, far) = try descriptorPair()
            let calls = Log<Int>()
            try await onLoop(loop) {
                try loop.watch(near, for: .readable) { _ in calls.append(1) }
                #expect(throws: SystemFailure("epoll_ctl", code: EEXIST)) {
                    try loop.watch(near, for: .readable) { _ in calls.append(2) }
                }
                loop.unwatch(near)
                loop.unwatch(near)
                loop.update(near, interest: .readable)
                #expect(throws: SystemFailure("epoll_ctl", code: EBADF)) { try loop.watch(-1, for: .readable) { _ in } }
            }
            _ = write(far, "x", 1)
            // Sleep: nothing may come, and only time shows it.
            try await loop.sleep(for: .milliseconds(20))
            #expect(calls.all.isEmpty)
            close(near)
            close(far)
        }
    }
}
