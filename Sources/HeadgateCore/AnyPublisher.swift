/// A publisher of which only the output and failure types are known.
///
/// Use it where the type of a pipeline would say too much: in the signature of a function, in a stored property, or to
/// choose between two pipelines.
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
    // A closure made where the publisher's type is known keeps the code that was specialised for that type.
    @usableFromInline let attach: StreamClosure<AnySubscriber<Output, Failure>, Void>

    /// Hides a publisher behind its output and failure types.
    @inlinable public init<P: Publisher & StrictlySendable>(_ publisher: P)
    where P.Output == Output, P.Failure == Failure {
        if let erased = publisher as? AnyPublisher {
            self = erased
        } else {
            attach = { publisher.receive(subscriber: $0) }
        }
    }

    /// Hides a publisher that whoever holds this says is Sendable, or not.
    @inlinable package init<P: Publisher>(hiding publisher: P) where P.Output == Output, P.Failure == Failure {
        attach = serially { publisher.receive(subscriber: $0) }
    }

    /// Connects a subscriber to the hidden publisher.
    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
        attach(AnySubscriber(subscriber))
    }
}

// Only publishers that are `StrictlySendable` are hidden in one.
extension AnyPublisher: StrictlySendable {}

extension AnyPublisher: CustomStringConvertible, CustomPlaygroundDisplayConvertible {
    /// `AnyPublisher`.
    public var description: String { "AnyPublisher" }

    /// The description.
    public var playgroundDescription: Any { description }
}
