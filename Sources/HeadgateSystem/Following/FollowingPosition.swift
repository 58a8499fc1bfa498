#if os(Linux)
    /// A position in a followed file, from which to continue after a restart.
    ///
    /// The file is recognised after it has been renamed: by its device, its number on the device (inode), and the time of
    /// its creation, because a file system gives a new file the number of a deleted one.
    ///
    /// ```swift
    /// let position = FollowingPosition("64768:131:0:4096")
    /// print(position?.offset ?? 0)
    /// // 4096
    /// ```
    public struct FollowingPosition: Hashable, Sendable {
        /// The number of the device.
        public let device: UInt64

        /// The number of the file on its device.
        public let inode: UInt64

        /// When the file was created, in nanoseconds; zero if its file system does not record that.
        public let created: Int64

        /// The number of bytes before this position.
        public var offset: Int

        /// The places in the files that are read beside this one, for a time after a rotation.
        var beside: [FollowingPosition] = []

        /// Whether both are places in one file.
        func isInFile(of other: FollowingPosition) -> Bool {
            device == other.device && inode == other.inode && created == other.created
        }
    }

    extension FollowingPosition: LosslessStringConvertible {
        /// Reads a description; `nil` if the text is not one.
        public init?(_ description: String) {
            let places = description.split(separator: "+", omittingEmptySubsequences: false).map(Self.place)
            guard var first = places[0], places.allSatisfy({ $0 != nil }) else { return nil }
            first.beside = places.dropFirst().compactMap { $0 }
            self = first
        }

        private static func place(_ text: Substring) -> FollowingPosition? {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 4, let device = UInt64(parts[0]), let inode = UInt64(parts[1]),
                let created = Int64(parts[2]), let offset = Int(parts[3]), offset >= 0
            else { return nil }
            return FollowingPosition(device: device, inode: inode, created: created, offset: offset)
        }

        /// The four numbers, separated by colons; shortly after a rotation also those of the files that are read
        /// together with this one, each after a plus sign.
        public var description: String {
            (["\(device):\(inode):\(created):\(offset)"] + beside.map(\.description)).joined(separator: "+")
        }
    }

    /// A part of a followed file, and where it was.
    public struct FollowedChunk: Hashable, Sendable {
        /// The bytes.
        public let bytes: Bytes

        /// The position after the last of them: to continue, follow from there.
        public let end: FollowingPosition

        /// Whether bytes before these are lost: the file they were in is gone, or has been truncated before they were read.
        public let followsGap: Bool
    }

    /// A line of a followed file, and where it was.
    public struct FollowedLine: Hashable, Sendable {
        /// The line without its terminator.
        public let bytes: Bytes

        /// The position after its terminator: to continue, follow from there.
        public let end: FollowingPosition

        /// Whether bytes before it are lost: the file they were in is gone, or has been truncated before they were read.
        public let followsGap: Bool

        /// Whether it had a terminator; the last line of a file that has been replaced may have none.
        public let isTerminated: Bool

        /// The line as a text; bytes that are not UTF-8 are replaced by U+FFFD.
        public var text: String { String(bytes) }
    }
#endif
