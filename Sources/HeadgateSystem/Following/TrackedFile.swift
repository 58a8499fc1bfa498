#if os(Linux)
    import HeadgateLibC

    /// An open file that is followed, and how far it has been read.
    final class TrackedFile {
        /// What a look at the file has found.
        enum Finding {
            case bytes(Bytes)
            case atEnd
            /// The bytes before the place are not those that were read.
            case changed
        }

        /// How many of the bytes before the place are compared at each read.
        private static let overlap = 64

        private let watch: FileWatch?
        let descriptor: Descriptor
        private(set) var place: FollowingPosition

        /// The place after the last line that was delivered.
        var lineEnd: Int

        /// Splits its lines, if lines are wanted.
        var splitter: LineSplitter?

        /// Whether it was found under a name that rotation had given it.
        let wasRotated: Bool

        /// Whether nobody writes to it: the copy that was made before the file at the path was truncated.
        var isCopy = false

        /// Since when it has had a successor.
        var expiry: Expiry?

        /// Whether the time for which it is read on was up before its last read.
        var isOverdue = false

        /// Whether its last read has found its end.
        private(set) var isAtEnd = false

        /// The last bytes before the place.
        private(set) var tail = Bytes()

        // After a truncation, a writer that keeps its own place leaves a hole before it.
        private var skipsZeros = false

        init(_ descriptor: Descriptor, watch: FileWatch?, place: FollowingPosition, wasRotated: Bool) {
            self.descriptor = descriptor
            self.watch = watch
            self.place = place
            self.wasRotated = wasRotated
            lineEnd = place.offset
        }

        /// Moves to another place.
        func move(to offset: Int, afterTruncation: Bool = false) {
            place.offset = offset
            lineEnd = offset
            tail = Bytes()
            skipsZeros = afterTruncation
            isAtEnd = false
        }

        /// Reads on, together with the bytes before the place, which tell whether it is still the same content.
        func read(_ chunkSize: Int, calls: SystemCalls) throws(SystemError) -> Finding {
            var isSecond = false
            while true {
                let known = tail.count
                let start = place.offset - known
                let all = try Bytes(capacity: chunkSize + known) { buffer throws(SystemError) in
                    try calls.read(descriptor, at: start, into: buffer) ?? known
                }
                // A call that returns less than was known has been cut short, or the file has become shorter.
                if all.count < known || all.prefix(known) != tail {
                    let size = Int(try calls.status(of: descriptor).st_size)
                    if all.count >= known || size < place.offset { return .changed }
                    tail = Bytes()
                    continue
                }
                var bytes = all.dropFirst(known)
                // The call may have been cut short just there.
                if bytes.isEmpty, known > 0, Int(try calls.status(of: descriptor).st_size) > place.offset {
                    if isSecond { tail = Bytes() }
                    isSecond = true
                    continue
                }
                isAtEnd = bytes.isEmpty
                if isAtEnd { return .atEnd }
                place.offset += bytes.count
                if skipsZeros {
                    bytes = bytes.drop { $0 == 0 }
                    if bytes.isEmpty {
                        lineEnd = place.offset
                        continue
                    }
                    skipsZeros = false
                }
                remember(bytes)
                return .bytes(bytes)
            }
        }

        private func remember(_ bytes: Bytes) {
            let recent = bytes.suffix(Self.overlap)
            tail =
                recent.count == Self.overlap
                ? recent.copied()
                : Bytes(Array(tail.suffix(Self.overlap - recent.count)), followedBy: recent)
        }
    }
#endif
