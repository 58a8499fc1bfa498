#if os(Linux)
    import HeadgateEngine

    /// The bytes of a followed file without their places.
    final class FollowedByteSource: Pollable {
        private let base: FollowingSource

        init(_ base: FollowingSource) { self.base = base }

        func poll() throws(SystemError) -> Poll<Bytes> {
            if case .value(let chunk) = try base.poll() { .value(chunk.bytes) } else { .pending }
        }

        func waiter(on queue: DeliveryQueue) -> FollowingWaiter { base.waiter(on: queue) }
    }

    /// The lines of a followed file with their places.
    final class FollowedLineSource: Pollable {
        private let base: FollowingSource
        private let splitter: LineSplitter
        private var end: FollowingPosition?
        private var followsGap = false

        init(_ base: FollowingSource, _ splitter: LineSplitter) {
            self.base = base
            self.splitter = splitter
        }

        func poll() throws(SystemError) -> Poll<FollowedLine> {
            while true {
                if let line = try nextLine() { return .value(line) }
                guard case .value(let chunk) = try base.poll() else { return .pending }
                if chunk.followsGap {
                    // The beginning of a line whose end is gone is no line.
                    _ = splitter.takeRest()
                    followsGap = true
                }
                end = chunk.end
                splitter.take(chunk.bytes)
            }
        }

        private func nextLine() throws(SystemError) -> FollowedLine? {
            var line: FollowedLine?
            try splitter.forEachPiece { [end, followsGap, splitter] bytes in
                if var end {
                    end.offset -= splitter.unsplitCount
                    line = FollowedLine(bytes: bytes, end: end, followsGap: followsGap)
                }
                return false
            }
            if line != nil { followsGap = false }
            return line
        }

        func waiter(on queue: DeliveryQueue) -> FollowingWaiter { base.waiter(on: queue) }
    }
#endif
