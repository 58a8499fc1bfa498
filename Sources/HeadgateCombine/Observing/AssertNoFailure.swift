import HeadgateEngine

extension Publisher {
    /// Forwards everything, and traps if upstream fails.
    ///
    /// ```
    /// self             1---2---3---|
    /// assertNoFailure
    ///                  1---2---3---|
    /// ```
    ///
    /// ```swift
    /// struct NotANumber: Error {}
    /// let cancellable = ["1", "2"].publisher
    ///     .tryMap { text in
    ///         guard let number = Int(text) else { throw NotANumber() }
    ///         return number
    ///     }
    ///     .assertNoFailure("The list holds numbers")
    ///     .sink { print($0) }
    /// // 1
    /// // 2
    /// ```
    ///
    /// - **Demand**: forwarded unchanged.
    /// - **Completion**: finishes when upstream finishes. A failure traps.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it; a failure traps on
    ///   the thread on which upstream fails.
    /// - **Complexity**: no cost per value. Fused with adjacent operators.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the message.
    ///   - file: The file to report.
    ///   - line: The line to report.
    @inlinable public func assertNoFailure(
        _ prefix: String = "", file: StaticString = #file, line: UInt = #line
    ) -> Publishers.AssertNoFailure<Self> {
        Publishers.AssertNoFailure(upstream: self, prefix: prefix, file: file, line: line)
    }
}

extension Publishers {
    /// A publisher that traps if upstream fails.
    public struct AssertNoFailure<Upstream: Publisher>: _StepPublisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Never

        /// The upstream publisher, which must not fail.
        public let upstream: Upstream

        /// The prefix of the message.
        public let prefix: String

        /// The file to report.
        public let file: StaticString

        /// The line to report.
        public let line: UInt

        /// Creates the publisher that `assertNoFailure(_:file:line:)` returns.
        @inlinable public init(upstream: Upstream, prefix: String, file: StaticString, line: UInt) {
            self.upstream = upstream
            self.prefix = prefix
            self.file = file
            self.line = line
        }

        /// Serves a subscriber through this step and those before it.
        @inlinable @inline(__always) public var _stage: _FailureStep<Upstream.Output, Upstream.Failure, Never> {
            _FailureStep { [prefix, file, line] failure in
                programmerError(
                    rule: prefix.isEmpty ? "This stream must not fail." : "\(prefix): this stream must not fail.",
                    found: "\(failure)", remedy: "Handle the failure before assertNoFailure.", file: file, line: line)
            }
        }
    }
}

extension Publishers.AssertNoFailure: Sendable where Upstream: Sendable {}
