/// A publisher whose type is erased except for its output and failure types.
///
/// Use it where the type of a pipeline would reveal too much: in the signature of a function, in a stored property, or
/// to choose between two pipelines.
///
/// ```swift
/// let sensor = PassthroughSubject<Double, Never>()
/// func readings(simulated: Bool) -> AnyPublisher<Double, Never> {
///     simulated ? Just(21.5).eraseToAnyPublisher() : sensor.eraseToAnyPublisher()
/// }
/// let cancellable = readings(simulated: true).sink { print($0) }
/// // 21.5
/// ```
@frozen public struct AnyPublisher<Output, Failure: Error>: Publisher {
    // A closure created where the publisher's type is known keeps the code specialised for that type.
    @usableFromInline let attach: @Sendable (AnySubscriber<Output, Failure>) -> Void

    // Returns the only value of the erased publisher, if it has one. A closure of its own, because what `attach` returned
    // would be on the stack once per erased stage.
    @usableFromInline let onlyValue: (@Sendable () -> Output?)?

    /// Erases the type of a publisher except for its output and failure types.
    @inlinable public init(_ publisher: some Publisher<Output, Failure>) {
        if let erased = publisher as? AnyPublisher {
            self = erased
        } else {
            nonisolated(unsafe) let publisher = publisher
            attach = { publisher.receive(subscriber: $0) }
            if publisher._soleValue == nil { onlyValue = nil } else { onlyValue = { publisher._soleValue } }
        }
    }

    /// Creates a publisher that consists of what it does with a subscriber.
    @inlinable package init(attaching attach: @escaping (AnySubscriber<Output, Failure>) -> Void) {
        self.attach = serially(attach)
        onlyValue = nil
    }

    /// Attaches a subscriber; `subscribe(_:)` calls this.
    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
        attach(AnySubscriber(subscriber))
    }

    /// The only value of the erased publisher, if it has one.
    @inlinable public var _soleValue: Output? { onlyValue?() }
}

// The compiler checked the closures of the publisher where they were written, and a publisher may be subscribed to on any
// thread (`Documentation/Contract.md`).
extension AnyPublisher: Sendable {}

extension AnyPublisher: CustomStringConvertible, CustomPlaygroundDisplayConvertible {
    /// A description of this value.
    public var description: String { "AnyPublisher" }

    /// What a playground shows.
    public var playgroundDescription: Any { description }
}
