import HeadgateCore

/// Everything, in order, and since when there has been silence.
@usableFromInline package struct AwaitedEvents<Output, Failure: Error, Time>: Backlog {
    /// How a silence fails the stream; in an object, because few timeouts have one.
    @usableFromInline final class CustomError {
        @usableFromInline let make: () -> Failure

        @inlinable init(_ make: @escaping () -> Failure) { self.make = make }
    }

    @usableFromInline var events = Queue<Delivery<Output, Failure>>()

    @usableFromInline let customError: CustomError?

    @usableFromInline package var silentSince: Time?

    @inlinable package init(customError: (() -> Failure)?) {
        self.customError = if let customError { CustomError(customError) } else { nil }
    }

    @inlinable package var due: Time? { nil }

    @inlinable package var count: Int { events.count - (silentSince == nil && !events.isEmpty ? 1 : 0) }

    @inlinable package var length: Int { events.count }

    @inlinable package var ending: Subscribers.Completion<Failure> {
        if let customError { .failure(customError.make()) } else { .finished }
    }

    @inlinable package mutating func begin(due: Time?) { silentSince = due }

    @inlinable package mutating func add(_ input: Output, due: Time?) -> Output? {
        silentSince = due
        events.append(.value(input))
        return nil
    }

    @inlinable package mutating func end(_ completion: Subscribers.Completion<Failure>, due: Time?) {
        silentSince = nil
        events.append(.completion(completion))
    }

    @inlinable package mutating func takeNext(earliestNext: Time?, isWanted: () -> Bool) -> Delivery<Output, Failure> {
        guard let event = events.first else { return .nothing }
        if case .value = event, !isWanted() { return .unwanted }
        events.removeFirst()
        return event
    }
}
