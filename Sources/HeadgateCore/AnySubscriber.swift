/// A subscriber of which only the input and failure types are known, or that is made of three closures.
@frozen public struct AnySubscriber<Input, Failure: Error>: Subscriber {
    /// The identifier of the hidden subscriber.
    public let combineIdentifier: CombineIdentifier

    // Called with `HiddenSubscriber.question`, it answers whom this subscriber hides. That question has no closure of its
    // own, because each is an allocation for every erased stage; and both the question and the answer are small, because
    // through erased publishers the calls nest as deep as the pipeline.
    @usableFromInline package let onSubscription: (any Subscription) -> HiddenSubscriber?

    @usableFromInline package let onValue: (Input) -> Subscribers.Demand

    @usableFromInline package let onCompletion: (Subscribers.Completion<Failure>) -> Void

    #if StrictClosures
        /// Erases the type of a subscriber except for its input and failure types.
        ///
        /// It has to be Sendable, because an `AnySubscriber` is.
        @inlinable public init(_ s: some Subscriber<Input, Failure> & Sendable) { self.init(hiding: s) }

        // What the library hides is called by one thread at a time, and nobody else has it.
        @inlinable package init(_ s: some Subscriber<Input, Failure>) { self.init(hiding: s) }
    #else
        /// Erases the type of a subscriber except for its input and failure types.
        @inlinable public init(_ s: some Subscriber<Input, Failure>) { self.init(hiding: s) }
    #endif

    @inlinable init(hiding s: some Subscriber<Input, Failure>) {
        if let erased = s as? AnySubscriber {
            self = erased
        } else {
            combineIdentifier = s.combineIdentifier
            onSubscription = {
                if HiddenSubscriber.isAsked(by: $0) { return HiddenSubscriber(s) }
                s.receive(subscription: $0)
                return nil
            }
            onValue = { s.receive($0) }
            onCompletion = { s.receive(completion: $0) }
        }
    }

    /// Creates a subscriber that sends everything it receives into a subject, up to the end of the stream.
    @inlinable public init<S: Subject>(_ s: S) where S.Output == Input, S.Failure == Failure {
        self.init(SubjectSubscriber(s))
    }

    /// Creates a subscriber of three closures.
    ///
    /// - Parameters:
    ///   - receiveSubscription: Called first. Where it is missing, everything is asked for.
    ///   - receiveValue: Called with each value; answers how many more are wanted. Where it is missing, every value is
    ///     taken and dropped.
    ///   - receiveCompletion: Called at the end, if it comes.
    @inlinable public init(
        receiveSubscription: StreamClosure<any Subscription, Void>? = nil,
        receiveValue: StreamClosure<Input, Subscribers.Demand>? = nil,
        receiveCompletion: StreamClosure<Subscribers.Completion<Failure>, Void>? = nil
    ) {
        combineIdentifier = CombineIdentifier()
        onSubscription = {
            if HiddenSubscriber.isAsked(by: $0) { return nil }
            if let receiveSubscription { receiveSubscription($0) } else { $0.request(.unlimited) }
            return nil
        }
        onValue = receiveValue ?? { _ in .none }
        onCompletion = receiveCompletion ?? { _ in }
    }

    /// The place in a list for which the hidden subscriber stands.
    @inlinable public var _listPlace: AnyObject? { hidden?._listPlace }

    /// Passes the subscription to the hidden subscriber.
    @inlinable public func receive(subscription: any Subscription) { _ = onSubscription(subscription) }

    /// Passes a value to the hidden subscriber.
    @inlinable public func receive(_ value: Input) -> Subscribers.Demand { onValue(value) }

    /// Passes the completion to the hidden subscriber.
    @inlinable public func receive(completion: Subscribers.Completion<Failure>) { onCompletion(completion) }
}

/// The answer to whom an `AnySubscriber` hides.
@usableFromInline package final class HiddenSubscriber {
    @usableFromInline let subscriber: any Subscriber

    @inlinable init(_ subscriber: any Subscriber) { self.subscriber = subscriber }

    /// What is handed to an `AnySubscriber` in place of a subscription, and goes no further.
    @usableFromInline static let question = Question()

    @inlinable static func isAsked(by subscription: any Subscription) -> Bool {
        subscription._conduit is Question
    }

    @usableFromInline final class Question: Subscription, Sendable {
        @usableFromInline func request(_ demand: Subscribers.Demand) {}
        @usableFromInline func cancel() {}
        @usableFromInline var _conduit: AnyObject? { self }
    }
}

// Every publisher may deliver on any thread, one delivery at a time (`Documentation/Contract.md`), so whoever writes a
// subscriber has to reckon with being handed from one thread to another; hence unchecked.
// What is made from outside the library is Sendable itself under the trait `StrictClosures`.
extension AnySubscriber: @unchecked Sendable where Input: Sendable {}

extension AnySubscriber: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
    @usableFromInline var hidden: (any Subscriber)? { onSubscription(HiddenSubscriber.question)?.subscriber }

    /// What the hidden subscriber says about itself, or `Anonymous AnySubscriber`.
    public var description: String {
        hidden.flatMap { $0 as? any CustomStringConvertible }?.description ?? "Anonymous AnySubscriber"
    }

    /// The mirror of the hidden subscriber; without children where it has none of its own.
    public var customMirror: Mirror {
        hidden.flatMap { $0 as? any CustomReflectable }?.customMirror ?? Mirror(self, children: EmptyCollection())
    }

    /// What the hidden subscriber shows in a playground, or the description.
    public var playgroundDescription: Any {
        hidden.flatMap { $0 as? any CustomPlaygroundDisplayConvertible }?.playgroundDescription ?? description
    }
}
