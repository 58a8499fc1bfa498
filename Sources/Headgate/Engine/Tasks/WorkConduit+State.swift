import HeadgateCore
import HeadgateEngine

extension WorkConduit {
    /// Upstream and the tasks, in the order in which they are cancelled.
    @usableFromInline package struct Running {
        @usableFromInline var subscription: ConduitSubscription?

        @usableFromInline var task: Task<Void, Never>?

        @usableFromInline var idle: [UnsafeContinuation<Void, Never>]

        @usableFromInline var starter: UnsafeContinuation<Void, Never>?

        @inlinable init(
            subscription: ConduitSubscription?, task: Task<Void, Never>?, idle: [UnsafeContinuation<Void, Never>],
            starter: UnsafeContinuation<Void, Never>?
        ) {
            self.subscription = subscription
            self.task = task
            self.idle = idle
            self.starter = starter
        }
    }

    /// What the lock of a `WorkConduit` guards.
    @usableFromInline package struct State {
        /// The subscriber's outstanding demand.
        @usableFromInline package var demand = Subscribers.Demand.none

        /// Whether values are processed before their results are requested.
        @usableFromInline package var worksAhead = true

        /// Whether the subscriber has requested anything.
        @usableFromInline package var isRequested = false

        /// Requested from upstream and neither delivered nor dropped.
        @usableFromInline package var underWay = 0

        /// Values that no task processes yet.
        @usableFromInline package var inputs = Queue<(number: Int, value: Input)>()

        /// The number of the next value.
        @usableFromInline package var number = 0

        /// Values that have arrived and are neither delivered nor dropped.
        @usableFromInline package var unfinished = 0

        @usableFromInline package var results = OrderedWindow<WorkResult<Output, Failure>>()

        /// Results whose turn it is, until they are requested.
        @usableFromInline package var due = Queue<Output>()

        @usableFromInline package var isDelivering = false

        /// The completion to deliver once all values have been processed.
        @usableFromInline package var completion: Subscribers.Completion<Failure>?

        /// Whether the work on a value has failed, which waits for what is due, and for nothing else.
        @usableFromInline package var hasFailed = false

        @usableFromInline package var downstream: AnySubscriber<Output, Failure>?

        @usableFromInline package var subscription: ConduitSubscription?

        /// Whether upstream delivers before a request returns.
        @usableFromInline package var isDirect = false

        /// How many calls of the subscriber are inside a request to upstream.
        @usableFromInline package var requests = 0

        @usableFromInline package var task: Task<Void, Never>?

        /// The tasks that wait for values.
        @usableFromInline package var idle: [UnsafeContinuation<Void, Never>] = []

        /// The task that starts others, while it waits.
        @usableFromInline package var starter: UnsafeContinuation<Void, Never>?

        @usableFromInline package var workers = 0

        /// How many tasks are to be started.
        @usableFromInline package var missing = 0

        /// Whether nothing is left that could request, cancel, or send.
        @usableFromInline package var isAbandoned = false

        @inlinable package init() {}

        @inlinable package var isOver: Bool { downstream == nil }

        /// Whether no more values are processed, and no more results accepted.
        @inlinable package var takesNoMore: Bool { isOver || hasFailed }

        /// Whether results would be lost if the stream completed now.
        @inlinable package var owesResults: Bool { !(due.isEmpty && (hasFailed || unfinished == 0)) }

        /// How many values wait for a task, and how many results for their turn or for demand.
        @usableFromInline var waitingCount: Int { inputs.count + due.count + results.count }

        /// Whether nothing remains to be done.
        @inlinable package var isComplete: Bool {
            isAbandoned && (demand == .none || unfinished == 0) || completion != nil && !owesResults
        }

        /// How much more can be requested from upstream.
        @inlinable func room(within limit: Int) -> Int {
            if !isRequested || subscription == nil || completion != nil { return 0 }
            return (worksAhead ? limit : min(limit, demand.max ?? limit)) - underWay
        }

        /// Computes how much more can be requested from upstream, and counts it as requested.
        @inlinable mutating func takeRoom(within limit: Int) -> (Subscribers.Demand, ConduitSubscription)? {
            let room = room(within: limit)
            guard room > 0, let subscription else { return nil }
            underWay += room
            return (.max(room), subscription)
        }

        /// Removes what has to be cancelled at the end.
        @inlinable package mutating func takeRunning() -> Running? {
            if task == nil, subscription == nil, idle.isEmpty, starter == nil { return nil }
            defer { (task, subscription, idle, starter) = (nil, nil, [], nil) }
            return Running(subscription: subscription, task: task, idle: idle, starter: starter)
        }

        /// The value that a task processes next.
        @inlinable package mutating func takeInput() -> Finding {
            if takesNoMore { return .over }
            return inputs.popFirst().map { .input($0.number, $0.value) } ?? .nothing
        }

        /// Counts a value that has arrived.
        ///
        /// - Returns: Its number.
        @inlinable mutating func countInput() -> Int {
            defer { number += 1 }
            unfinished += 1
            return number
        }

        /// Counts the result of processing a value.
        ///
        /// - Returns: The value to deliver.
        @inlinable mutating func count(_ result: WorkResult<Output, Failure>) -> Output? {
            switch result {
            case .value(let value):
                return value
            case .skip:
                underWay -= 1
                unfinished -= 1
            case .failure(let failure):
                completion = .failure(failure)
                hasFailed = true
            }
            return nil
        }

        /// Counts a value as delivered.
        @inlinable mutating func finishDelivery(_ more: Subscribers.Demand) {
            demand += more
            demand -= 1
            underWay -= 1
            unfinished -= 1
        }
    }
}
