import HeadgateEngine

/// Publishes the values sent to it, and makes senders wait while its slowest subscriber is full.
///
/// ```
/// send           1---2---3---------------------|     the third waits
/// requests       ^1------------------^2
/// StreamChannel  1-------------------(23)------|     capacity: 1
/// ```
///
/// ```swift
/// let orders = StreamChannel<Int, Never>(capacity: 16)
/// let shipping = orders.asyncMap(maxConcurrent: 4) { order in "shipped \(order)" }.sink { print($0) }
/// for order in 1...3 {
///     try await orders.send(order)
/// }
/// orders.send(completion: .finished)
/// // shipped 1
/// // shipped 2
/// // shipped 3
/// ```
///
/// Every subscriber receives every value sent after its subscription, in the same order. Nothing is dropped: `send`
/// waits until each subscriber has requested the value or has room for it, and while there is no subscriber. Waiting
/// senders are served in the order of their calls.
///
/// - **Demand**: values that a subscriber has not requested are buffered for it, at most `capacity` of them.
/// - **Completion**: delivered after the buffered values. The channel finishes when its last reference is released.
/// - **Threads**: values are delivered on the thread of the task that sends them, or on that of the request that they
///   have waited for; by a thread that is delivering already, if there is one.
/// - **Complexity**: constant time per value and subscriber.
public final class StreamChannel<Output, Failure: Error>: Publisher {
    /// What happened to a value.
    public enum Answer: Hashable, Sendable {
        /// All subscribers have received it or have it in their buffers.
        case sent
        /// The buffer of a subscriber is full.
        case full
        /// There are no subscribers.
        case noSubscribers
        /// The channel has completed.
        case finished
    }

    @usableFromInline typealias Member = EmitterConduit<Output, Failure>

    /// A task that waits until there is room for its value.
    @usableFromInline final class Sender: @unchecked Sendable {
        // Guarded by the channel's lock.
        /// The value, unless the task has been cancelled.
        @exclusivity(unchecked) @usableFromInline var value: Output?

        /// The task, once it waits, until it is resumed.
        @exclusivity(unchecked) @usableFromInline var task: UnsafeContinuation<Answer?, Never>?

        @inlinable init(_ value: Output) { self.value = value }
    }

    @usableFromInline struct State {
        /// In the order of subscription; some may have cancelled.
        @usableFromInline var members: [Member] = []
        @usableFromInline var cancelledMembers = 0
        /// The waiting senders, in the order of their calls; some may have been cancelled.
        @usableFromInline var senders = Queue<Sender>()
        @usableFromInline var cancelledSenders = 0
        @usableFromInline var completion: Subscribers.Completion<Failure>?

        @inlinable init() {}

        /// The sender that has waited longest.
        @inlinable mutating func firstSender() -> Sender? {
            while let sender = senders.first, sender.value == nil {
                senders.removeFirst()
                cancelledSenders -= 1
            }
            return senders.first
        }

        // Cleans up rarely, so that each removal takes amortised constant time.
        @inlinable mutating func countCancelledSender() {
            cancelledSenders += 1
            if cancelledSenders <= senders.count / 2 + 8 { return }
            for _ in 0..<senders.count {
                let sender = senders.removeFirst()
                if sender.value != nil { senders.append(sender) }
            }
            cancelledSenders = 0
        }
    }

    /// What happened to a value, and which subscribers it is due for.
    // One subscriber is by far the most common number, and needs no array.
    @usableFromInline struct Offer {
        @usableFromInline var answer: Answer
        @usableFromInline var first: Member?
        @usableFromInline var others: [Member] = []

        @inlinable init(_ answer: Answer) { self.answer = answer }

        @inlinable mutating func add(_ member: Member) {
            if first == nil { first = member } else { others.append(member) }
        }

        @inlinable func serve() {
            first?.serve()
            for member in others { member.serve() }
        }
    }

    @usableFromInline let state = Guarded(State())

    /// How many values are buffered for each subscriber.
    public let capacity: Int

    /// Creates a channel.
    ///
    /// - Parameter capacity: How many values are buffered for each subscriber. With zero, each value waits until all
    ///   subscribers have requested it. A negative number traps.
    @inlinable public init(capacity: Int) {
        require(
            capacity >= 0, rule: "The capacity of a channel is a number of values and can't be negative.",
            found: "StreamChannel(capacity: \(capacity))", remedy: "Use 0 to buffer nothing.")
        self.capacity = capacity
    }

    @inlinable deinit { send(completion: .finished) }

    /// Attaches a subscriber; `subscribe(_:)` calls this.
    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
        let member = Member(capacity: capacity, whenFull: .dropNewest, AnySubscriber(subscriber))
        // Enters the drain, so that nothing is delivered before the subscription.
        _ = member.drain.enter()
        let completion: Subscribers.Completion<Failure>? = state.withLock { state in
            if state.completion == nil { state.members.append(member) }
            return state.completion
        }
        member.onRoom { [weak self, weak member] in
            if let self, let member { self.hasRoom(member) }
        }
        SourceSubscription(member, name: "StreamChannel", isPatient: true).send(to: subscriber)
        if let completion { member.finish(completion) }
        member.drain.leave()
        serveSenders()
    }

    /// Sends a value if that is possible without waiting.
    ///
    /// - Returns: What happened to the value: it was sent, or dropped.
    @inlinable public func trySend(_ value: Output) -> Answer {
        let offer = state.withLock { state in
            state.completion != nil || state.firstSender() == nil ? self.offer(value, &state) : Offer(.full)
        }
        offer.serve()
        return offer.answer
    }

    /// Sends a value, and waits until there is room for it.
    ///
    /// - Returns: `.sent`, or `.finished` if the channel has completed.
    /// - Throws: A `CancellationError` if the task is cancelled before the value has been sent; it is not sent then.
    @discardableResult
    @inlinable public nonisolated(nonsending) func send(_ value: Output) async throws(CancellationError) -> Answer {
        if Task.isCancelled { throw CancellationError() }
        let answer = trySend(value)
        if answer == .sent || answer == .finished { return answer }
        let sender = Sender(value)
        // Cancelling a sender uses what a lock guards, and no value.
        nonisolated(unsafe) let channel = self
        let late: Answer? = await withTaskCancellationHandler {
            await withUnsafeContinuation { (task: UnsafeContinuation<Answer?, Never>) in wait(sender, task) }
        } onCancel: {
            channel.cancel(sender)
        }
        guard let late else { throw CancellationError() }
        return late
    }

    /// Completes the stream of every subscriber, after its buffered values.
    ///
    /// Waiting senders return `.finished`.
    @inlinable public func send(completion: Subscribers.Completion<Failure>) {
        var waiting: [UnsafeContinuation<Answer?, Never>] = []
        let old: State? = state.withLock { state in
            if state.completion != nil { return nil }
            var old = exchange(&state, with: State())
            state.completion = completion
            while let sender = old.senders.popFirst() { if let task = sender.task.take() { waiting.append(task) } }
            return old
        }
        for task in waiting { task.resume(returning: .finished) }
        for member in old?.members ?? [] { member.finish(completion) }
    }

    /// Accepts a value for all subscribers, or for none.
    @inlinable func offer(_ value: Output, _ state: inout State) -> Offer {
        if state.completion != nil { return Offer(.finished) }
        var hasSubscribers = false
        for member in state.members {
            switch member.room {
            case .some(true): hasSubscribers = true
            case .some(false): return Offer(.full)
            case nil: continue
            }
        }
        if !hasSubscribers { return Offer(.noSubscribers) }
        // No other thread can take the room away, because of the lock.
        var offer = Offer(.sent)
        for member in state.members {
            if case .sent = member.accept(value) { offer.add(member) }
        }
        return offer
    }

    @inlinable func wait(_ sender: Sender, _ task: UnsafeContinuation<Answer?, Never>) {
        let waits = state.withLock { state in
            if sender.value == nil { return false }
            sender.task = task
            state.senders.append(sender)
            return true
        }
        if waits { serveSenders() } else { task.resume(returning: nil) }
    }

    @inlinable func cancel(_ sender: Sender) {
        // The value is released on return, outside the lock.
        let (task, _) = state.withLock { state in
            let (task, value) = (sender.task.take(), sender.value.take())
            if task != nil { state.countCancelledSender() }
            return (task, value)
        }
        task?.resume(returning: nil)
    }

    @inlinable func hasRoom(_ member: Member) {
        if member.isOver {
            state.withLock { state in
                state.cancelledMembers += 1
                // Cleans up rarely, so that each removal takes amortised constant time.
                if state.cancelledMembers * 2 >= state.members.count {
                    state.members.removeAll { $0.isOver }
                    state.cancelledMembers = 0
                }
            }
        }
        serveSenders()
    }

    /// Sends the values of waiting senders as long as there is room.
    @inlinable func serveSenders() {
        while true {
            let served: (UnsafeContinuation<Answer?, Never>?, Offer)? = state.withLock { state in
                guard let sender = state.firstSender(), let value = sender.value else { return nil }
                let offer = self.offer(value, &state)
                if offer.answer == .full || offer.answer == .noSubscribers { return nil }
                state.senders.removeFirst()
                return (sender.task.take(), offer)
            }
            guard let (task, offer) = served else { return }
            offer.serve()
            task?.resume(returning: offer.answer)
        }
    }
}

// Threads share only what a lock guards, and the values.
extension StreamChannel: @unchecked Sendable where Output: Sendable {}
