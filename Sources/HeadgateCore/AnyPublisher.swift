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
    // A closure created where the publisher's type is known keeps the code specialised for that type. Called without a
    // subscriber, it returns the publisher's only value.
    @usableFromInline let attach: StreamClosure<AnySubscriber<Output, Failure>?, Output?>

    /// Erases the type of a publisher except for its output and failure types.
    @inlinable public init(_ publisher: some Publisher<Output, Failure> & StrictlySendable) {
        if let erased = publisher as? AnyPublisher {
            self = erased
        } else {
            attach = {
                guard let subscriber = $0 else { return publisher._soleValue }
                publisher.receive(subscriber: subscriber)
                return nil
            }
        }
    }

    /// Erases the type of a publisher, whose Sendability the caller vouches for.
    @inlinable package init(hiding publisher: some Publisher<Output, Failure>) {
        attach = serially {
            guard let subscriber = $0 else { return publisher._soleValue }
            publisher.receive(subscriber: subscriber)
            return nil
        }
    }

    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
        _ = attach(AnySubscriber(subscriber))
    }

    /// The only value of the erased publisher, if it has one.
    @inlinable public var _soleValue: Output? { attach(nil) }
}

// Only publishers that are `StrictlySendable` are erased by clients.
extension AnyPublisher: StrictlySendable {}

extension AnyPublisher: CustomStringConvertible, CustomPlaygroundDisplayConvertible {
    public var description: String { "AnyPublisher" }

    public var playgroundDescription: Any { description }
}
