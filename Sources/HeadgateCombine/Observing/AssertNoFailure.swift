import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Passes everything on, and stops the program where the stream fails.
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
    /// - **Demand**: passed on as it is.
    /// - **Completion**: finishes where upstream does. A failure is a programmer's error and traps.
    /// - **Complexity**: nothing a value. Fused with the operators around it.
    ///
    /// - Parameters:
    ///   - prefix: What the message begins with.
    ///   - file: The file that the message names.
    ///   - line: The line that the message names.
    @inlinable public func assertNoFailure(
        _ prefix: String = "", file: StaticString = #file, line: UInt = #line
    ) -> Publishers.AssertNoFailure<Self> {
        Publishers.AssertNoFailure(upstream: self, prefix: prefix, file: file, line: line)
    }
}

extension Publishers {
    /// A publisher that stops the program where another one fails.
    public struct AssertNoFailure<Upstream: Publisher>: _StepPublisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// There are no errors.
        public typealias Failure = Never

        /// The publisher that must not fail.
        public let upstream: Upstream

        /// What the message begins with.
        public let prefix: String

        /// The file that the message names.
        public let file: StaticString

        /// The line that the message names.
        public let line: UInt

        /// Makes the publisher that `assertNoFailure(_:file:line:)` returns.
        @inlinable public init(upstream: Upstream, prefix: String, file: StaticString, line: UInt) {
            self.upstream = upstream
            self.prefix = prefix
            self.file = file
            self.line = line
        }

        /// The step that stops the program.
        @inlinable public var _stage: _FailureStep<Upstream, Never> {
            _FailureStep { [prefix, file, line] failure in
                programmerError(
                    rule: prefix.isEmpty ? "This stream must not fail." : "\(prefix): this stream must not fail.",
                    found: "\(failure)", remedy: "Handle the failure before assertNoFailure.", file: file, line: line)
            }
        }
    }
}

extension Publishers.AssertNoFailure: StrictlySendable where Upstream: StrictlySendable {}
