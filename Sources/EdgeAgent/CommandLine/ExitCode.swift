/// What the program tells its caller at the end, as `sysexits.h` numbers it.
package enum ExitCode: Int32, Sendable, CaseIterable {
    /// Everything was done; `run` was asked to stop and did so in order.
    case success = 0
    /// A check of `doctor` has failed.
    case checkFailed = 1
    /// The command line is wrong: an unknown command or flag, or a flag without its value (`EX_USAGE`).
    case usage = 64
    /// What `check-config --try` or `profile try` was given is nothing that could be taken (`EX_DATAERR`).
    case sampleRefused = 65
    /// A file cannot be read: the configuration, or a profile (`EX_NOINPUT`).
    case noInput = 66
    /// A fault of the program itself (`EX_SOFTWARE`).
    case software = 70
    /// The operating system refused something that the program cannot do without (`EX_OSERR`).
    case osError = 71
    /// The program is to be started again: something was missing for the moment, or `restart` asked for it
    /// (`EX_TEMPFAIL`).
    case temporaryFailure = 75
    /// The sample command of `check-config --try` is denied (`EX_NOPERM`).
    case denied = 77
    /// The configuration is wrong: a value of the file or of a flag, or a file that it names; or a profile (`EX_CONFIG`).
    case configuration = 78

    /// One line for help texts and documentation, without a full stop.
    package var meaning: String {
        switch self {
        case .success: "Done; or stopped in order by SIGTERM or SIGINT"
        case .checkFailed: "A check of `doctor` has failed"
        case .usage: "Wrong command line: unknown command or flag, or a value missing"
        case .sampleRefused: "What `--try` or `profile try` was given is nothing that could be taken"
        case .noInput: "A file cannot be read: the configuration, or a profile"
        case .software: "A fault of the program itself"
        case .osError: "The operating system refused something indispensable"
        case .temporaryFailure: "To be started again: something was missing for the moment, or `restart` asked for it"
        case .denied: "The sample command of `--try` is denied"
        case .configuration: "The configuration or a profile is wrong; every problem is printed"
        }
    }
}
