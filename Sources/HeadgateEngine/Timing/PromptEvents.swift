import HeadgateCore

/// Everything, in order, as soon as the scheduler can.
// Without the times of an `EventQueue`: smaller, and fewer types that a debug build looks up for each value.
@usableFromInline package struct PromptEvents<Output, Failure: Error, Time>: Backlog {
    @usableFromInline var values = Queue<Output>()

    @usableFromInline var completion: Subscribers.Completion<Failure>?

    @inlinable package init() {}

    @inlinable package static var neverWaits: Bool { true }

    @inlinable package var due: Time? { nil }

    @inlinable package var count: Int { values.count }

    @inlinable package var length: Int { completion == nil ? values.count : values.count + 1 }

    @inlinable package mutating func add(_ input: Output) { values.append(input) }

    @inlinable package mutating func add(_ input: Output, due: Time?) -> Output? {
        values.append(input)
        return nil
    }

    @inlinable package mutating func end(_ completion: Subscribers.Completion<Failure>, due: Time?) {
        self.completion = completion
    }

    @inlinable package mutating func takeNext(earliestNext: Time?, isWanted: () -> Bool) -> Delivery<Output, Failure> {
        if values.isEmpty { return end() }
        if isWanted(), let value = values.popFirst() { return .value(value) }
        return .unwanted
    }

    @inlinable func end() -> Delivery<Output, Failure> { completion.map { .completion($0) } ?? .nothing }
}

/// Delivers as soon as the scheduler can, and requests what downstream requests.
@usableFromInline package struct PromptPlan<Time: Strideable>: SchedulingPlan
where Time.Stride: SchedulerTimeIntervalConvertible {
    @inlinable package init() {}

    @inlinable package var name: StaticString { "ReceiveOn" }

    @inlinable package var pace: DeliveryPace<Time> { .atOnce }

    @inlinable package var upstreamDemand: ScheduledDemand { .multiple(1) }
}
