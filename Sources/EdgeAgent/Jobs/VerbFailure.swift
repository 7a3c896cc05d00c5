internal import BleCore
internal import Frames

/// Why a verb did not succeed, in the contract's words, and whether the device may have acted.
struct VerbFailure {
    let error: OperationError
    let applied: Applied

    /// What the contract says to an error of an operation.
    init(_ error: any Error, _ scope: OperationScope) {
        switch error {
        case let failure as BleFailure:
            self.error = OperationError(failure)
            applied = Applied(failure.applied.joined(with: scope.earlier))
        case let failure as FrameFailure:
            self.error = OperationError(failure)
            applied = Applied(scope.applied.joined(with: scope.earlier))
        case let error as OperationError:
            self.error = error
            applied = Applied(scope.applied.joined(with: scope.earlier))
        case is CancellationError:
            self.error = OperationError(.cancelled, at: ErrorStage(scope.stage), detail: "the job was cancelled")
            applied = Applied(scope.applied.joined(with: scope.earlier))
        default:
            self.error = OperationError(.internal, detail: "\(error)")
            applied = Applied(scope.applied.joined(with: scope.earlier))
        }
    }
}
