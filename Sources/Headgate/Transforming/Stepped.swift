import HeadgateEngine

/// What operators do to one value that make at most one of each: the steps of ``Publishers/Stepped``.
public enum Steps {}

extension Publishers {
    /// A publisher that applies a step to each value of another publisher.
    ///
    /// Operators return it that are one step and have no name in Combine. It is fused with adjacent operators.
    public struct Stepped<Upstream: Publisher, Step: _Step>: _StepPublisher
    where Step.Input == Upstream.Output, Step.InputFailure == Upstream.Failure {
        /// The type of the published values.
        public typealias Output = Step.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Step.OutputFailure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The step that each subscriber begins with.
        public let _stage: Step

        @inlinable init(_ upstream: Upstream, _ step: Step) {
            self.upstream = upstream
            _stage = step
        }
    }
}

extension Publishers.Stepped: Sendable where Upstream: Sendable, Step: Sendable {}

/// ``Publishers/Stepped`` with any upstream and any step; its last member is the step.
protocol SteppedPublisher {}

extension Publishers.Stepped: SteppedPublisher {}
