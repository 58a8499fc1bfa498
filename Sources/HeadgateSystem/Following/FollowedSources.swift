#if os(Linux)
    import HeadgateEngine

    /// The chunks of a followed file with their places.
    final class FollowedChunkSource: Pollable {
        private let base: FollowingSource

        init(_ base: FollowingSource) { self.base = base }

        func poll() throws(SystemError) -> Poll<FollowedChunk> {
            while case .value(let piece) = try base.poll() {
                if piece.isLast { continue }
                let nowhere = FollowingPosition(device: 0, inode: 0, created: 0, offset: 0)
                return .value(
                    FollowedChunk(
                        bytes: piece.bytes, end: piece.file?.place ?? nowhere, followsGap: piece.followsGap))
            }
            return .pending
        }

        func waiting(on queue: DeliveryQueue) -> PollingWait { base.waiting(on: queue) }
    }

    /// The lines of a followed file with their places.
    final class FollowedLineSource: Pollable {
        private let base: FollowingSource
        private let makeSplitter: () -> LineSplitter
        // A named pipe has no places.
        private let pipe: TrackedFile?
        private var current: TrackedFile?
        private var followsGap = false

        init(_ base: FollowingSource, makeSplitter: @escaping () -> LineSplitter) {
            self.base = base
            self.makeSplitter = makeSplitter
            pipe = base.pipe.map {
                TrackedFile(
                    $0, watch: nil, place: FollowingPosition(device: 0, inode: 0, created: 0, offset: 0),
                    wasRotated: false)
            }
        }

        func poll() throws(SystemError) -> Poll<FollowedLine> {
            while true {
                if let current, let line = try nextLine(of: current) { return .value(line) }
                guard case .value(let piece) = try base.poll() else { return .pending }
                if piece.followsGap { followsGap = true }
                guard let file = piece.file ?? pipe else { continue }
                if piece.isLast {
                    current = nil
                    if let line = try lastLine(of: file) { return .value(line) }
                    continue
                }
                let splitter = file.splitter ?? makeSplitter()
                file.splitter = splitter
                splitter.take(piece.bytes)
                current = file
            }
        }

        private func nextLine(of file: TrackedFile) throws(SystemError) -> FollowedLine? {
            guard let splitter = file.splitter else { return nil }
            var bytes: Bytes?
            try splitter.forEachPiece { piece in
                bytes = piece
                return false
            }
            return bytes.map { line($0, of: file, end: file.place.offset - splitter.unsplitCount, isTerminated: true) }
        }

        /// What is left of a file that has been left is a line without a terminator.
        private func lastLine(of file: TrackedFile) throws(SystemError) -> FollowedLine? {
            guard let rest = try file.splitter?.finish() else { return nil }
            return line(rest, of: file, end: file.place.offset, isTerminated: false)
        }

        private func line(_ bytes: Bytes, of file: TrackedFile, end offset: Int, isTerminated: Bool) -> FollowedLine {
            defer { followsGap = false }
            file.lineEnd = offset
            var end = file.place
            end.offset = offset
            if base.files.count > 1 || base.files.first !== file { end.beside = places(beside: file) }
            return FollowedLine(bytes: bytes, end: end, followsGap: followsGap, isTerminated: isTerminated)
        }

        /// The places in the older files, which may still be written to, and in the newer ones that have been read.
        private func places(beside file: TrackedFile) -> [FollowingPosition] {
            var places: [FollowingPosition] = []
            var isOlder = true
            for other in base.files {
                if other === file {
                    isOlder = false
                } else if isOlder && !other.isCopy || other.lineEnd > 0 {
                    var place = other.place
                    place.offset = other.lineEnd
                    places.append(place)
                }
            }
            return places
        }

        func waiting(on queue: DeliveryQueue) -> PollingWait { base.waiting(on: queue) }
    }
#endif
