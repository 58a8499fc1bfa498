import HeadgateCore

/// What comes out of a backlog next.
@usableFromInline package enum Delivery<Output, Failure: Error> {
    case value(Output)
    case completion(Subscribers.Completion<Failure>)
    /// There is a value, but nobody has requested it.
    case unwanted
    /// There was a value, but nobody has requested it in time.
    case dropped(Output)
    case nothing
}

/// What an operator with a scheduler keeps until it may be delivered: the part of `ScheduledConduit` that differs.
///
/// All of this runs under a lock: it copies and assigns, compares no moments, and drops nothing that it was given. What
/// it has no use for it hands back.
@usableFromInline package protocol Backlog {
    associatedtype Input
    associatedtype Output
    associatedtype Failure: Error
    associatedtype Time

    /// The moment before which what comes next must not be delivered; `nil` if there is no such moment.
    var due: Time? { get }

    /// Receives a value.
    ///
    /// - Parameter due: What the pace of the operator says about this value, if it says anything.
    /// - Returns: The value that will not be delivered because of this one.
    mutating func add(_ input: Input, due: Time?) -> Input?

    /// Takes the completion in; it comes out last.
    mutating func end(_ completion: Subscribers.Completion<Failure>, due: Time?)

    /// Takes out what comes next, due or not.
    ///
    /// - Parameters:
    ///   - reopening: The moment before which nothing must follow a value that is taken out now.
    ///   - isWanted: Takes one off the demand. Called if a value is next, which stays here if the answer is no.
    mutating func takeNext(reopening: Time?, isWanted: () -> Bool) -> Delivery<Output, Failure>
}

/// Everything, in order, each with the moment when it is due.
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

    @inlinable package init() {}

    @inlinable package var due: Time? { entries.first?.due }

    @inlinable package mutating func add(_ input: Output, due: Time?) -> Output? {
        entries.append(Entry(.value(input), due: due))
        return nil
    }

    @inlinable package mutating func end(_ completion: Subscribers.Completion<Failure>, due: Time?) {
        entries.append(Entry(.completion(completion), due: due))
    }

    @inlinable package mutating func takeNext(reopening: Time?, isWanted: () -> Bool) -> Delivery<Output, Failure> {
        guard let event = entries.first?.event else { return .nothing }
        if case .value = event, !isWanted() { return .unwanted }
        entries.removeFirst()
        return event
    }
}
