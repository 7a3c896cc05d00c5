package import EventLoop

/// One file of the state directory that is written again as a whole at each change.
///
/// Confined to the loop; the disk is waited for on a worker. Of changes that come while one is being written only the
/// last is written.
package final class StateFile {
    private let directory: StateDirectory
    private let name: String
    private let loop: EventLoop
    private let worker: Worker
    private let isSynced: Bool
    private var next: [UInt8]?
    /// Whether something of it is not on the disk yet.
    package private(set) var isWriting = false
    /// Those who wait for what is being written, and for what comes next.
    private var present: [SaveWait] = []
    private var following: [SaveWait] = []

    /// How long a save waits for the disk.
    package static let patience = Duration.seconds(5)

    /// Takes a file; with `isSynced` false it survives the end of the process alone, not a power cut.
    package init(
        _ name: String,
        in directory: StateDirectory,
        loop: EventLoop,
        worker: Worker,
        isSynced: Bool = true
    ) {
        self.isSynced = isSynced
        self.name = name
        self.directory = directory
        self.loop = loop
        self.worker = worker
    }

    /// Writes the file.
    ///
    /// On the loop.
    /// - Returns: once these bytes or later ones are on the disk: nil; or why they may not be.
    package func save(_ bytes: [UInt8]) async -> StateFailure? {
        await withCheckedContinuation { continuation in
            save(bytes) { continuation.resume(returning: $0) }
        }
    }

    /// Writes the file and tells what came of it.
    ///
    /// On the loop.
    package func save(_ bytes: [UInt8], _ done: @escaping (StateFailure?) -> Void) {
        next = bytes
        let wait = SaveWait(done)
        let late = StateFailure.slow(path: "\(directory.path)/\(name)")
        let timer = loop.schedule(after: Self.patience) { wait.end(late) }
        wait.whenOver = { [loop] in loop.cancel(timer) }
        following.append(wait)
        if !isWriting { writeNext() }
    }

    private func writeNext() {
        guard let bytes = next else { return }
        next = nil
        isWriting = true
        present = following
        following = []
        let box = StateFileBox(file: self)
        worker.start { [directory, name, loop, isSynced] in
            var failure: StateFailure?
            do throws(StateFailure) { try directory.write(bytes, to: name, isSynced: isSynced) } catch {
                failure = error
            }
            loop.execute { [failure] in box.file.written(failure) }
        }
    }

    private func written(_ failure: StateFailure?) {
        isWriting = false
        let ended = present
        present = []
        for wait in ended { wait.end(failure) }
        writeNext()
    }
}

/// Carries the file through the worker.
private struct StateFileBox: @unchecked Sendable {
    // Safe because: the worker only hands it back to the loop.
    let file: StateFile
}

/// One who waits for the disk: told once.
private final class SaveWait {
    private var done: ((StateFailure?) -> Void)?
    var whenOver: (() -> Void)?

    init(_ done: @escaping (StateFailure?) -> Void) { self.done = done }

    func end(_ failure: StateFailure?) {
        guard let done else { return }
        self.done = nil
        whenOver?()
        whenOver = nil
        done(failure)
    }
}
