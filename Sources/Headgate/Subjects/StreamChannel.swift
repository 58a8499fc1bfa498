import HeadgateCombine
import HeadgateCore
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

    @usableFromInline struct Sender {
        @usableFromInline let number: Int
        @usableFromInline let value: Output
        @usableFromInline let task: UnsafeContinuation<Answer?, Never>

        @inlinable init(number: Int, value: Output, task: UnsafeContinuation<Answer?, Never>) {
            self.number = number
            self.value = value
            self.task = task
        }
    }

    @usableFromInline struct State {
        /// In the order of subscription; some may have cancelled.
        @usableFromInline var members: [Member] = []
        /// The waiting senders, by number.
        @usableFromInline var senders: [Int: Sender] = [:]
        /// The numbers of the senders, in the order of their calls; some may have been cancelled.
        @usableFromInline var order = Queue<Int>()
        /// Senders that were cancelled before they began to wait.
        @usableFromInline var cancelled: Set<Int> = []
        @usableFromInline var number = 0
        @usableFromInline var cancelledMembers = 0
        @usableFromInline var completion: Subscribers.Completion<Failure>?

        @inlinable init() {}
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
        if capacity < 0 {
            programmerError(
                rule: "The capacity of a channel is a number of values and can't be negative.",
                found: "StreamChannel(capacity: \(capacity))",
                remedy: "Use 0 to buffer nothing.")
        }
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
            state.senders.isEmpty || state.completion != nil ? self.offer(value, &state) : Offer(.full)
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
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        // Cancelling a sender uses what a lock guards, and no value.
        nonisolated(unsafe) let channel = self
        let late: Answer? = await withTaskCancellationHandler {
            await withUnsafeContinuation { (task: UnsafeContinuation<Answer?, Never>) in
                wait(Sender(number: number, value: value, task: task))
            }
        } onCancel: {
            channel.cancelSender(number)
        }
        // Forgets a cancellation that arrived after the value had been sent.
        if Task.isCancelled { state.withLock { _ = $0.cancelled.remove(number) } }
        guard let late else { throw CancellationError() }
        return late
    }

    /// Completes the stream of every subscriber, after its buffered values.
    ///
    /// Waiting senders return `.finished`.
    @inlinable public func send(completion: Subscribers.Completion<Failure>) {
        let old: State? = state.withLock { state in
            if state.completion != nil { return nil }
            let old = state
            state = State()
            state.completion = completion
            return old
        }
        guard var old else { return }
        while let number = old.order.popFirst() { old.senders[number]?.task.resume(returning: .finished) }
        for member in old.members { member.finish(completion) }
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
        for member in state.members where member.accept(value) == .sent { offer.add(member) }
        return offer
    }

    @inlinable func wait(_ sender: Sender) {
        let isCancelled = state.withLock { state in
            if state.cancelled.remove(sender.number) != nil { return true }
            state.senders[sender.number] = sender
            state.order.append(sender.number)
            return false
        }
        if isCancelled { sender.task.resume(returning: nil) } else { serveSenders() }
    }

    @inlinable func cancelSender(_ number: Int) {
        let sender: Sender? = state.withLock { state in
            guard let sender = state.senders.removeValue(forKey: number) else {
                if state.completion == nil { state.cancelled.insert(number) }
                return nil
            }
            // Cleans up rarely, so that each removal takes amortised constant time.
            if state.order.count > 2 * state.senders.count + 16 {
                var others = Queue<Int>()
                while let number = state.order.popFirst() {
                    if state.senders[number] != nil { others.append(number) }
                }
                state.order = others
            }
            return sender
        }
        sender?.task.resume(returning: nil)
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
            let served: (Sender, Offer)? = state.withLock { state in
                while let number = state.order.first, state.senders[number] == nil { state.order.removeFirst() }
                guard let number = state.order.first, let sender = state.senders[number] else { return nil }
                let offer = self.offer(sender.value, &state)
                if offer.answer == .full || offer.answer == .noSubscribers { return nil }
                state.order.removeFirst()
                state.senders[number] = nil
                return (sender, offer)
            }
            guard let (sender, offer) = served else { return }
            offer.serve()
            sender.task.resume(returning: offer.answer)
        }
    }
}

// Threads share only what a lock guards, and the values.
extension StreamChannel: @unchecked Sendable where Output: Sendable {}
