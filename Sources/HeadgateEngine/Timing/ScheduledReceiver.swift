import HeadgateCore

/// Whether a job of a conduit with a scheduler is delivering.
@usableFromInline package enum ScheduledWork {
    case none
    case underWay
    /// Another job has begun meanwhile, and has left its work to this one.
    case unfinished
}

/// The options of every job; in an object, because few conduits have any.
@usableFromInline package final class ScheduledOptions<Context: Scheduler> {
    @usableFromInline let options: Context.SchedulerOptions

    @inlinable init(_ options: Context.SchedulerOptions) { self.options = options }
}

/// What is retained of the subscriber once it has its subscription: to be copied, and called outside a lock.
// An `AnySubscriber` has a reference more, which would be counted for each job.
@usableFromInline package struct ScheduledReceiver<Output, Failure: Error> {
    @usableFromInline let value: (Output) -> Subscribers.Demand

    @usableFromInline let completion: (Subscribers.Completion<Failure>) -> Void

    @inlinable init(_ subscriber: AnySubscriber<Output, Failure>) {
        value = subscriber.onValue
        completion = subscriber.onCompletion
    }
}
