import HeadgateCore

extension Publisher {
    /// Publishes the first values, `maxLength` at the most.
    @inlinable
    public func prefix(_ maxLength: Int) -> Publishers.Output<Self> {
        output(in: ..<maxLength)
    }

    /// Publishes the values at some positions, counted from zero.
    @inlinable
    public func output<R: RangeExpression>(in range: R) -> Publishers.Output<Self> where R.Bound == Int {
        Publishers.Output(upstream: self, range: range.relative(to: 0..<Int.max))
    }
}

extension Publishers {
    public struct Output<Upstream: Publisher>: _StepPublisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure
        public let upstream: Upstream
        public let range: CountableRange<Int>

        @inlinable
        public init(upstream: Upstream, range: CountableRange<Int>) {
            self.upstream = upstream
            self.range = range
        }

        @inlinable
        public var _stage: _OutputStep<Output, Failure> { _OutputStep(range: range) }
    }
}

@frozen
public struct _OutputStep<Output, Failure: Error>: _Step {
    @usableFromInline
    var toSkip: Int
    @usableFromInline
    var toPass: Int

    @inlinable
    init(range: Range<Int>) {
        toSkip = range.lowerBound
        toPass = range.count
    }
    @inlinable
    public static var _mayEnd: Bool { true }
    @inlinable
    public static var _name: String { "Output" }
    @inlinable
    public var _hasEnded: Bool { toPass == 0 }
    @inlinable
    public mutating func _receive(_ input: Output) -> _StepResult<Output, Failure> {
        if toSkip > 0 {
            toSkip -= 1
            return .skip
        }
        toPass -= 1
        return toPass == 0 ? .last(input) : .next(input)
    }
    @inlinable
    public func _receive(completion: Subscribers.Completion<Failure>) -> Subscribers.Completion<Failure> { completion }
}
