import HeadgateCore

extension Publisher {
    /// Publishes the values for which a closure answers true.
    @inlinable
    public func filter(_ isIncluded: @escaping (Output) -> Bool) -> Publishers.Filter<Self> {
        Publishers.Filter(upstream: self, isIncluded: isIncluded)
    }
}

extension Publishers {
    /// A publisher of those values of another one for which a closure answers true.
    public struct Filter<Upstream: Publisher>: _StepPublisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream

        public let isIncluded: (Upstream.Output) -> Bool

        @inlinable
        public init(upstream: Upstream, isIncluded: @escaping (Upstream.Output) -> Bool) {
            self.upstream = upstream
            self.isIncluded = isIncluded
        }

        @inlinable
        public var _stage: _FilterStep<Upstream.Output, Failure> { _FilterStep(isIncluded: isIncluded) }
    }
}

@frozen
public struct _FilterStep<Output, Failure: Error>: _PassingStep {
    @usableFromInline
    let isIncluded: (Output) -> Bool

    @inlinable
    init(isIncluded: @escaping (Output) -> Bool) { self.isIncluded = isIncluded }

    @inlinable
    public mutating func _receive(_ input: Output) -> _StepResult<Output, Failure> {
        isIncluded(input) ? .next(input) : .skip
    }
}
