#if os(Linux)
    import HeadgateEngine

    extension Publishers {
        /// A publisher of the chunks of a followed file, with their positions.
        public struct FollowedChunks: Publisher, Sendable {
            /// The type of the published values.
            public typealias Output = FollowedChunk

            /// The type of error that the stream may fail with.
            public typealias Failure = SystemError

            /// Where this is, as a path.
            public let file: File

            /// Where following begins.
            public var start: FollowingStart { rules.start }

            /// The maximum number of bytes per chunk.
            public var chunkSize: Int { rules.chunkSize }

            let rules: FollowingRules

            package var makeQueue: @Sendable () -> DeliveryQueue = { .waiting("following") }

            /// Connects a subscriber; its first demand opens the file.
            @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
                serve(AnySubscriber(subscriber))
            }

            @usableFromInline func serve(_ subscriber: AnySubscriber<Output, Failure>) {
                PollingPublisher(name: "FollowedChunks", on: makeQueue) { () throws(SystemError) in
                    FollowedChunkSource(try file.follow(rules, readsBeside: false))
                }
                .serve(subscriber)
            }
        }

        /// A publisher of the lines of a followed file, with their positions.
        public struct FollowedLines: Publisher, Sendable {
            /// The type of the published values.
            public typealias Output = FollowedLine

            /// The type of error that the stream may fail with.
            public typealias Failure = SystemError

            /// Where this is, as a path.
            public let file: File

            let lines: LineRules
            let rules: FollowingRules

            /// Where following begins.
            public var start: FollowingStart { rules.start }

            /// The maximum length of a line in bytes.
            public var maximumLength: Int { lines.maximumLength }

            /// The terminator of a line.
            public var terminators: LineTerminators { lines.terminators }

            package var makeQueue: @Sendable () -> DeliveryQueue = { .waiting("following") }

            /// Connects a subscriber; its first demand opens the file.
            @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
                serve(AnySubscriber(subscriber))
            }

            @usableFromInline func serve(_ subscriber: AnySubscriber<Output, Failure>) {
                PollingPublisher(name: "FollowedLines", on: makeQueue) { () throws(SystemError) in
                    FollowedLineSource(try file.follow(rules, readsBeside: true)) { LineSplitter(lines) }
                }
                .serve(subscriber)
            }
        }

        /// A publisher of the contents of a file and everything appended to it.
        public struct FollowedFile: Publisher, Sendable {
            /// The type of the published values.
            public typealias Output = Bytes

            /// The type of error that the stream may fail with.
            public typealias Failure = SystemError

            /// Where this is, as a path.
            public let file: File

            /// Where following begins.
            public var start: FollowingStart { rules.start }

            /// The maximum number of bytes per chunk.
            public var chunkSize: Int { rules.chunkSize }

            let rules: FollowingRules

            package var makeQueue: @Sendable () -> DeliveryQueue = { .waiting("following") }

            /// Connects a subscriber; its first demand opens the file.
            @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
                serve(AnySubscriber(subscriber))
            }

            @usableFromInline func serve(_ subscriber: AnySubscriber<Output, Failure>) {
                PollingPublisher(name: "FollowedFile", on: makeQueue) { () throws(SystemError) in
                    FollowedChunkSource(try file.follow(rules, readsBeside: false))
                }
                .map(\.bytes)
                .receive(subscriber: subscriber)
            }
        }
    }
#endif
