import HeadgateEngine

extension Publisher {
    /// Publishes through one subject to all subscribers, after `connect()`.
    ///
    /// Drops a value for each subscriber that has not requested one, if the subject does, as a `PassthroughSubject`
    /// does. To keep it, put `buffer` after this operator, for each subscriber, or use a `ReplaySubject` of the module
    /// `Headgate`.
    ///
    /// ```
    /// self         1---2---3---|
    /// connect()    !
    /// first        1---2---3---|
    /// second       1---2---3---|
    /// ```
    ///
    /// ```swift
    /// let shared = (1...2).publisher.multicast { PassthroughSubject() }
    /// let first = shared.sink { print("first", $0) }
    /// let second = shared.sink { print("second", $0) }
    /// let connection = shared.connect()
    /// // first 1
    /// // second 1
    /// // first 2
    /// // second 2
    /// ```
    ///
    /// - **Demand**: up to the subject. The subjects of this library respect the demand of each subscriber, and request
    ///   unlimited values from upstream.
    /// - **Completion**: forwarded by the subject, to later subscribers too.
    /// - **Threads**: the closure is called on the thread that subscribes or connects first. Upstream is subscribed to
    ///   on the thread that calls `connect()`; the subject sends on the thread on which upstream delivers, to one
    ///   subscriber after the other.
    /// - **Complexity**: that of the subject.
    ///
    /// - Parameter createSubject: Creates the subject when it is first needed, once: if two threads need it at the same
    ///   time, each creates one, and one of the two is dropped.
    @preconcurrency @inlinable public func multicast<S: Subject<Output, Failure>>(
        _ createSubject: @escaping @Sendable () -> S
    ) -> Publishers.Multicast<Self, S> {
        Publishers.Multicast(upstream: self, createSubject: createSubject)
    }

    /// Publishes through a given subject to all subscribers, after `connect()`.
    ///
    /// Drops a value for each subscriber that has not requested one, if the subject does, as a `PassthroughSubject`
    /// does. To keep it, put `buffer` after this operator, for each subscriber, or use a `ReplaySubject` of the module
    /// `Headgate`.
    ///
    /// ```
    /// self         1---2---3---|
    /// connect()    !
    /// subject      1---2---3---|
    /// ```
    ///
    /// ```swift
    /// let subject = PassthroughSubject<Int, Never>()
    /// let shared = (1...2).publisher.multicast(subject: subject)
    /// let listener = shared.sink { print($0) }
    /// let connection = shared.connect()
    /// // 1
    /// // 2
    /// ```
    ///
    /// - **Demand**: up to the subject. The subjects of this library respect the demand of each subscriber, and request
    ///   unlimited values from upstream.
    /// - **Completion**: forwarded by the subject, to later subscribers too.
    /// - **Threads**: upstream is subscribed to on the thread that calls `connect()`. The subject sends on the thread
    ///   on which upstream delivers, to one subscriber after the other; a thread that sends to it at the same time
    ///   waits for its turn, or leaves its value to the first if that takes long (rule 3.6 of the contract).
    /// - **Complexity**: that of the subject.
    ///
    /// - Parameter subject: The subject that forwards the values. Other code may send to it too. It is retained by the
    ///   publisher, and by the connection until upstream has completed or the connection has been cancelled.
    @inlinable public func multicast<S: Subject<Output, Failure>>(
        subject: S
    ) -> Publishers.Multicast<Self, S> {
        // A subject is sent to from the thread that delivers, whichever that is.
        nonisolated(unsafe) let subject = subject
        return multicast { subject }
    }
}

extension Publishers {
    /// A publisher that forwards upstream's values to all subscribers through one subject.
    public final class Multicast<
        Upstream: Publisher, SubjectType: Subject<Upstream.Output, Upstream.Failure>
    >: ConnectablePublisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The closure that creates the subject.
        public let createSubject: @Sendable () -> SubjectType

        @usableFromInline let made = LazyReference<SubjectType>()

        /// Creates the publisher that `multicast(_:)` returns.
        @preconcurrency @inlinable public init(upstream: Upstream, createSubject: @escaping @Sendable () -> SubjectType)
        {
            self.upstream = upstream
            self.createSubject = createSubject
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            subject.receive(subscriber: ForwardingSubscriber(subscriber, name: "Multicast"))
        }

        /// Attaches the subject to upstream.
        ///
        /// - Returns: Detaches the subject when cancelled or released. After that, it can be connected again.
        @inlinable public func connect() -> any Cancellable { upstream.attach(subject).opaque }

        @inlinable var subject: SubjectType { made.value(createSubject) }
    }
}

// All threads use the subject that is made first; what is sent through it is up to the subject.
extension Publishers.Multicast: @unchecked Sendable where Upstream: Sendable, SubjectType: Sendable {}

extension Publishers.Multicast: InterruptibleConnecting {
    @usableFromInline package func attempt() -> ConnectionCount.Attempt { upstream.attempt(attaching: subject) }
}

extension AnyCancellable {
    /// The cancellable as those hold it who connect.
    // Not inlinable: where the optimiser sees that an existential has been made of a class, it may release it at once, before
    // the end of the scope or of `withExtendedLifetime`, and so disconnect.
    @usableFromInline var opaque: any Cancellable { @inline(never) get { self } }
}
