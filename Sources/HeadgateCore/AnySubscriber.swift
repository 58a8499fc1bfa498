/// A subscriber whose type is erased except for its input and failure types, or one that consists of three closures.
@frozen public struct AnySubscriber<Input, Failure: Error>: Subscriber {
    /// The identifier of the erased subscriber.
    public let combineIdentifier: CombineIdentifier

    // Called with `HiddenSubscriber.question`, it returns the subscriber that this one erases. That query has no
    // closure of its own, because every erased stage would allocate it; and both the query and the result are small,
    // because calls through erased publishers nest as deeply as the pipeline.
    @usableFromInline package let onSubscription: (any Subscription) -> HiddenSubscriber?

    @usableFromInline package let onValue: (Input) -> Subscribers.Demand

    @usableFromInline package let onCompletion: (Subscribers.Completion<Failure>) -> Void

    /// Erases the type of a subscriber except for its input and failure types.
    @inlinable public init<S: Subscriber<Input, Failure>>(_ s: S) {
        if let erased = s as? AnySubscriber {
            self = erased
        } else if MemoryLayout<S>.size <= MemoryLayout<AnyObject>.size {
            combineIdentifier = s.combineIdentifier
            onSubscription = {
                if HiddenSubscriber.isRequested(by: $0) { return HiddenSubscriber(s) }
                s.receive(subscription: $0)
                return nil
            }
            onValue = { s.receive($0) }
            onCompletion = { s.receive(completion: $0) }
        } else {
            // Closures share an object, but each would allocate a copy of a larger structure.
            let box = SubscriberBox(s)
            combineIdentifier = s.combineIdentifier
            onSubscription = {
                if HiddenSubscriber.isRequested(by: $0) { return HiddenSubscriber(box.subscriber) }
                box.subscriber.receive(subscription: $0)
                return nil
            }
            onValue = { box.subscriber.receive($0) }
            onCompletion = { box.subscriber.receive(completion: $0) }
        }
    }

    /// Creates a subscriber that sends everything it receives to a subject, until the stream completes.
    @inlinable public init(_ s: some Subject<Input, Failure>) {
        self.init(SubjectSubscriber(s))
    }

    /// Creates a subscriber from three closures.
    ///
    /// - Parameters:
    ///   - receiveSubscription: Called first. If omitted, unlimited values are requested.
    ///   - receiveValue: Called with each value; returns additional demand. If omitted, every value is received and
    ///     dropped.
    ///   - receiveCompletion: Called with the completion, if there is one.
    @preconcurrency @inlinable public init(
        receiveSubscription: (@Sendable (any Subscription) -> Void)? = nil,
        receiveValue: (@Sendable (Input) -> Subscribers.Demand)? = nil,
        receiveCompletion: (@Sendable (Subscribers.Completion<Failure>) -> Void)? = nil
    ) {
        combineIdentifier = CombineIdentifier()
        onSubscription = {
            if HiddenSubscriber.isRequested(by: $0) { return nil }
            if let receiveSubscription { receiveSubscription($0) } else { $0.request(.unlimited) }
            return nil
        }
        onValue = receiveValue ?? { _ in .none }
        onCompletion = receiveCompletion ?? { _ in }
    }

    /// The list place that the erased subscriber stands for.
    @inlinable public var _listPlace: AnyObject? { hidden?._listPlace }

    /// Receives the subscription, once.
    @inlinable public func receive(subscription: any Subscription) { _ = onSubscription(subscription) }

    /// Receives a value.
    @inlinable public func receive(_ value: Input) -> Subscribers.Demand { onValue(value) }

    /// Receives the completion.
    @inlinable public func receive(completion: Subscribers.Completion<Failure>) { onCompletion(completion) }
}

/// An erased subscriber that isn't an object.
@usableFromInline final class SubscriberBox<S: Subscriber> {
    @usableFromInline let subscriber: S

    @inlinable init(_ subscriber: S) { self.subscriber = subscriber }
}

/// The erased subscriber, returned by an `AnySubscriber` in answer to `question`.
@usableFromInline package final class HiddenSubscriber {
    @usableFromInline let subscriber: any Subscriber

    @inlinable init(_ subscriber: any Subscriber) { self.subscriber = subscriber }

    /// Passed to an `AnySubscriber` in place of a subscription, and never forwarded.
    @usableFromInline static let question = Question()

    @inlinable static func isRequested(by subscription: any Subscription) -> Bool {
        subscription._conduit is Question
    }

    @usableFromInline final class Question: Subscription, Sendable {
        @usableFromInline func request(_ demand: Subscribers.Demand) {}
        @usableFromInline func cancel() {}
        @usableFromInline var _conduit: AnyObject? { self }
    }
}

// A publisher may deliver on any thread, one delivery at a time (`Documentation/Contract.md`, rule 3.1): a subscriber moves
// between threads whether it is erased or not, and the compiler checked its closures where they were written.
extension AnySubscriber: @unchecked Sendable where Input: Sendable {}

extension AnySubscriber: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
    @usableFromInline var hidden: (any Subscriber)? { onSubscription(HiddenSubscriber.question)?.subscriber }

    /// A description of this value.
    public var description: String {
        hidden.flatMap { $0 as? any CustomStringConvertible }?.description ?? "Anonymous AnySubscriber"
    }

    /// What is shown of this value's contents.
    public var customMirror: Mirror {
        hidden.flatMap { $0 as? any CustomReflectable }?.customMirror ?? Mirror(self, children: EmptyCollection())
    }

    /// What a playground shows.
    public var playgroundDescription: Any {
        hidden.flatMap { $0 as? any CustomPlaygroundDisplayConvertible }?.playgroundDescription ?? description
    }
}
