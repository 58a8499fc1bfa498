import HeadgateCore

/// What is taken from a backlog next.
@usableFromInline package enum Delivery<Output, Failure: Error> {
    case value(Output)
    case completion(Subscribers.Completion<Failure>)
    /// There is a value without demand.
    case unwanted
    /// There was a value without demand, and it was dropped.
    case dropped(Output)
    case nothing
}

/// What an operator with a scheduler keeps until it may be delivered: the varying part of `ScheduledConduit`.
///
/// All of this runs under a lock: it copies and assigns, compares no times, and releases nothing that it was given. It
/// returns what it doesn't need.
@usableFromInline package protocol Backlog {
    associatedtype Input
    associatedtype Output
    associatedtype Failure: Error
    associatedtype Time

    /// The time before which the next event must not be delivered; `nil` if there is no such time.
    var due: Time? { get }

    /// How many values wait here.
    var count: Int { get }

    /// How many events wait here.
    var length: Int { get }

    /// When the most recent value has arrived, or the subscription, if a silence after that ends the stream.
    var silentSince: Time? { get }

    /// How the stream ends then. Called outside the lock, for it may run user code.
    var ending: Subscribers.Completion<Failure> { get }

    /// Receives the subscription.
    mutating func begin(due: Time?)

    /// Receives a value.
    ///
    /// - Parameter due: What the plan says about this value: as a rule, when it may be delivered.
    /// - Returns: The value that won't be delivered because of this one.
    mutating func add(_ input: Input, due: Time?) -> Input?

    /// Receives the completion; it comes out last.
    mutating func end(_ completion: Subscribers.Completion<Failure>, due: Time?)

    /// Removes the next event, due or not.
    ///
    /// - Parameters:
    ///   - earliestNext: The earliest next delivery, if a value is taken now.
    ///   - isWanted: Takes one unit of demand. Called if a value is next, which stays here if it returns false.
    mutating func takeNext(earliestNext: Time?, isWanted: () -> Bool) -> Delivery<Output, Failure>
}

extension Backlog {
    @inlinable package var silentSince: Time? { nil }

    @inlinable package var ending: Subscribers.Completion<Failure> { .finished }

    @inlinable package mutating func begin(due: Time?) {}
}

/// Everything, in order, with the time at which it is due.
@usableFromInline package struct EventQueue<Output, Failure: Error, Time>: Backlog {
    @usableFromInline package struct Entry {
        @usableFromInline package let event: Delivery<Output, Failure>

        @usableFromInline package let due: Time?

        @inlinable package init(_ event: Delivery<Output, Failure>, due: Time?) {
            self.event = event
            self.due = due
        }
    }

    @usableFromInline package var entries = Queue<Entry>()

    @usableFromInline var hasCompletion = false

    @inlinable package init() {}

    @inlinable package var due: Time? { entries.first?.due }

    @inlinable package var count: Int { max(0, entries.count - (hasCompletion ? 1 : 0)) }

    @inlinable package var length: Int { entries.count }

    @inlinable package mutating func add(_ input: Output, due: Time?) -> Output? {
        entries.append(Entry(.value(input), due: due))
        return nil
    }

    @inlinable package mutating func end(_ completion: Subscribers.Completion<Failure>, due: Time?) {
        hasCompletion = true
        entries.append(Entry(.completion(completion), due: due))
    }

    @inlinable package mutating func takeNext(earliestNext: Time?, isWanted: () -> Bool) -> Delivery<Output, Failure> {
        guard let event = entries.first?.event else { return .nothing }
        if case .value = event, !isWanted() { return .unwanted }
        entries.removeFirst()
        return event
    }
}
