extension File {
    /// Who may read, write and execute a file.
    ///
    /// ```swift
    /// print(File.Permissions.ownerOnly, File.Permissions([.ownerRead, .groupRead]), File.Permissions(rawValue: 0o755))
    /// // 600 440 755
    /// ```
    public struct Permissions: OptionSet, Hashable, Sendable, CustomStringConvertible {
        /// The bits of the system.
        public let rawValue: UInt32

        /// Takes the bits of the system, usually written in octal digits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Its owner may read it.
        public static let ownerRead = Permissions(rawValue: 0o400)
        /// Its owner may write to it.
        public static let ownerWrite = Permissions(rawValue: 0o200)
        /// Its owner may execute it.
        public static let ownerExecute = Permissions(rawValue: 0o100)
        /// The members of its group may read it.
        public static let groupRead = Permissions(rawValue: 0o040)
        /// The members of its group may write to it.
        public static let groupWrite = Permissions(rawValue: 0o020)
        /// The members of its group may execute it.
        public static let groupExecute = Permissions(rawValue: 0o010)
        /// All others may read it.
        public static let othersRead = Permissions(rawValue: 0o004)
        /// All others may write to it.
        public static let othersWrite = Permissions(rawValue: 0o002)
        /// All others may execute it.
        public static let othersExecute = Permissions(rawValue: 0o001)

        /// Its owner may read it and write to it, and nobody else: for secrets.
        public static let ownerOnly: Permissions = [.ownerRead, .ownerWrite]

        /// Everybody may read it and write to it: the file mode creation mask of the process usually removes some of that.
        public static let all: Permissions = [
            .ownerRead, .ownerWrite, .groupRead, .groupWrite, .othersRead, .othersWrite,
        ]

        /// The octal digits.
        public var description: String { String(rawValue, radix: 8) }
    }
}
