import HeadgateCore

/// Everything, in order, and when the stream ends unless a value arrives before.
@usableFromInline package struct AwaitedEvents<Output, Failure: Error, Time>: Backlog {
    @usableFromInline var events = Queue<Delivery<Output, Failure>>()

    @usableFromInline let customError: (() -> Failure)?

    @usableFromInline package var deadline: Time?

    @inlinable package init(customError: (() -> Failure)?) { self.customError = customError }

    @inlinable package var due: Time? { nil }

    @inlinable package var ending: Subscribers.Completion<Failure> { customError.map { .failure($0()) } ?? .finished }

    @inlinable package mutating func begin(due: Time?) { deadline = due }

    @inlinable package mutating func add(_ input: Output, due: Time?) -> Output? {
        deadline = due
        events.append(.value(input))
        return nil
    }

    @inlinable package mutating func end(_ completion: Subscribers.Completion<Failure>, due: Time?) {
        deadline = nil
        events.append(.completion(completion))
    }

    @inlinable package mutating func takeNext(earliestNext: Time?, isWanted: () -> Bool) -> Delivery<Output, Failure> {
        guard let event = events.first else { return .nothing }
        if case .value = event, !isWanted() { return .unwanted }
        events.removeFirst()
        return event
    }
}
