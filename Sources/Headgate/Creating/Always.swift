import HeadgateEngine

/// Publishes one value repeatedly, as long as there is demand.
///
/// ```
/// subscriber   ^2---^1---^2---!
/// Always(7)    (77)-7----(77)-
/// ```
///
/// ```swift
/// let cancellable = [1, 2, 3].publisher
///     .zip(Always(10))
///     .sink { print($0 * $1) }
/// // 10
/// // 20
/// // 30
/// ```
///
/// - **Demand**: publishes as many values as are requested, synchronously, on the requesting thread. Unlimited demand
///   is served until `cancel()`, which has to come from inside a delivery or from another thread.
/// - **Completion**: never.
/// - **Threads**: values are delivered on the requesting thread; what another thread requests meanwhile is delivered by
///   the one that is delivering.
public struct Always<Output>: Publisher {
    /// The type of error that the stream may fail with.
    public typealias Failure = Never

    /// The value that is repeated.
    public let output: Output

    /// Creates a publisher that repeats a value.
    @inlinable public init(_ output: Output) { self.output = output }

    /// Attaches a subscriber; `subscribe(_:)` calls this.
    @inlinable public func receive(subscriber: some Subscriber<Output, Never>) {
        EndlessRepetition(element: output).connect(to: subscriber, label: "Always" as StaticString)
    }
}

extension Always: Equatable where Output: Equatable {}

extension Always: Sendable where Output: Sendable {}

@usableFromInline struct EndlessRepetition<Element>: Sequence, IteratorProtocol {
    @usableFromInline let element: Element

    @inlinable init(element: Element) { self.element = element }

    @inlinable func next() -> Element? { element }
}
