import HeadgateEngine

/// What the stages of a `ParallelStream` do with a value.
@usableFromInline enum ParallelWork<Input, Output, Failure: Error> {
    /// Turns it into at most one where it arrives.
    case here((Input) -> Output?, isUnchanged: Bool)
    /// Turns it into at most one in a job of a scheduler.
    case jobs(ScheduleJob, (Input) -> Output?)
    case publishers((Input) -> AnyPublisher<Output, Failure>)

    /// Adds a stage that turns each value into at most one, wherever that is done.
    @inlinable func compactMap<T>(_ transform: @escaping (Output) -> T?) -> ParallelWork<Input, T, Failure> {
        switch self {
        case .here(let work, _): .here({ work($0).flatMap(transform) }, isUnchanged: false)
        case .jobs(let schedule, let work): .jobs(schedule) { work($0).flatMap(transform) }
        case .publishers(let publisher):
            .publishers { AnyPublisher(publisher($0).compactMap(serially(transform))) }
        }
    }

    /// Continues on a scheduler.
    @inlinable func continued<Context: Scheduler>(
        on scheduler: Context, options: Context.SchedulerOptions?
    ) -> Self where Output: Sendable {
        if case .here(let work, isUnchanged: true) = self {
            return .jobs({ scheduler.schedule(options: options, serially($0)) }, work)
        }
        return .publishers { [publisher] in
            AnyPublisher(publisher($0).receive(on: scheduler, options: options))
        }
    }

    /// Turns a value into a publisher of what becomes of it.
    @inlinable var publisher: (Input) -> AnyPublisher<Output, Failure> {
        switch self {
        case .here(let work, _):
            { AnyPublisher(work($0).publisher.setFailureType(to: Failure.self)) }
        case .jobs(let schedule, let work):
            {
                let value = Just($0).setFailureType(to: Failure.self)
                return value.processed(in: schedule, rails: 1, isOrdered: false, work)
            }
        case .publishers(let publisher): publisher
        }
    }
}

extension Publisher {
    /// Publishes what jobs make of the values.
    @inlinable func processed<Result>(
        in schedule: @escaping ScheduleJob, rails: Int, isOrdered: Bool, _ work: @escaping (Output) -> Result?
    ) -> AnyPublisher<Result, Failure> {
        AnyPublisher(attaching: { subscriber in
            let conduit = WorkConduit<Output, Result, Failure>(limit: rails, isOrdered: isOrdered, subscriber)
            conduit.process(in: schedule, work)
            receive(
                subscriber: WorkInlet<Output, Failure, Result, Failure>(
                    conduit, name: "Parallel", translate: { $0 }))
        })
    }
}
