import Glibc

/// What the process needs before anything else.
package enum ProcessSetup {
    /// Ignores SIGPIPE and SIGXFSZ, whose causes are errors of the call that meets them, and opens standard input, output and error on `/dev/null` where they are closed.
    ///
    /// A closed descriptor 2 would be given to the next socket, and the log would go to the broker.
    package static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            // open() takes the lowest free number, which is this one.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY)
        }
    }
}
