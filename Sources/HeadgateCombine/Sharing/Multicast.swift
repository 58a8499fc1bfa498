import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes through one subject to all subscribers, beginning when told to with `connect()`.
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
    /// - **Demand**: what the subject makes of it. Those of this library serve each subscriber against its own demand,
    ///   and ask upstream for everything.
    /// - **Completion**: passed on by the subject, to late subscribers too.
    /// - **Complexity**: that of the subject.
    ///
    /// - Parameter createSubject: Makes the subject, when it is first needed, and once: if two threads need it at the
    ///   same moment, each makes one, and one of the two is dropped.
    @inlinable public func multicast<S: Subject>(_ createSubject: @escaping StreamClosure<S>)
        -> Publishers.Multicast<Self, S>
    where S.Output == Output, S.Failure == Failure {
        Publishers.Multicast(upstream: self, createSubject: createSubject)
    }

    /// Publishes through the given subject to all subscribers, beginning when told to with `connect()`.
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
    /// - **Demand**: what the subject makes of it. Those of this library serve each subscriber against its own demand,
    ///   and ask upstream for everything.
    /// - **Completion**: passed on by the subject, to late subscribers too.
    /// - **Complexity**: that of the subject.
    ///
    /// - Parameter subject: What the values go through. It may be sent to from elsewhere as well.
    @inlinable public func multicast<S: Subject & StrictlySendable>(subject: S) -> Publishers.Multicast<Self, S>
    where S.Output == Output, S.Failure == Failure {
        multicast { subject }
    }
}

extension Publishers {
    /// A publisher that passes the values of another one through one subject to all its subscribers.
    public final class Multicast<Upstream: Publisher, SubjectType: Subject>: ConnectablePublisher
    where SubjectType.Output == Upstream.Output, SubjectType.Failure == Upstream.Failure {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher that is shared.
        public let upstream: Upstream

        /// What makes the subject.
        public let createSubject: StreamClosure<SubjectType>

        @usableFromInline let made = Guarded<SubjectType?>(nil)

        /// Makes the publisher that `multicast(_:)` returns.
        @inlinable public init(upstream: Upstream, createSubject: @escaping StreamClosure<SubjectType>) {
            self.upstream = upstream
            self.createSubject = createSubject
        }

        /// Connects a subscriber to the subject.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            subject.receive(subscriber: NamingConduit(name: "Multicast", subscriber))
        }

        /// Attaches the subject to upstream.
        ///
        /// - Returns: What detaches it again; letting go of it does so too. After that, connecting again begins anew.
        @inlinable public func connect() -> any Cancellable {
            upstream.attach(subject)
        }

        @inlinable var subject: SubjectType {
            if let subject = made.withLock({ $0 }) { return subject }
            let new = createSubject()
            return made.withLock {
                if let subject = $0 { return subject }
                $0 = new
                return new
            }
        }
    }
}

// The subject is made under a lock; what is sent through it is its own affair.
extension Publishers.Multicast: @unchecked Sendable where Upstream: Sendable, SubjectType: Sendable {}
