extension BindKeys {
    static let fileLimit = 1_048_576

    /// Reads a file of keys.
    ///
    /// Blocks as a file does; a pipe or a device is refused and never waited for.
    /// - Throws: why it cannot be read or used; one that every user of the machine may read or write is refused.
    package static func read(_ path: String) throws(Problem) -> BindKeys {
        let file: RegularFile
        do throws(RegularFile.Failure) { file = try RegularFile.read(path, limit: fileLimit) } catch {
            switch error {
            case .system(let code): throw .system(code)
            case .notRegular: throw .notRegular
            case .tooLarge: throw .tooLarge
            }
        }
        guard !file.isOpenToAll else { throw .openToAll }
        return try parse(file.bytes)
    }
}
