import HeadgateCombine
import HeadgateCore
import HeadgateEngine

// Everything that threads share is behind locks; hence unchecked.
/// Publishes what is sent to it, and has senders wait while its slowest subscriber is full.
///
/// ```
/// send         1---2---3 (waits) ------|
/// subscriber   ^1------------------^2
/// Channel      1-------------------23         capacity: 1
/// ```
///
/// ```swift
/// let orders = Channel<Int, Never>(capacity: 16)
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
/// Every subscriber hears every value that is sent after it has subscribed, in the same order. Nothing is dropped: `send`
/// waits until each of them has requested the value or has room for it, and while there is no subscriber at all. Senders
/// that wait are served in the order in which they came.
///
/// - **Demand**: values that a subscriber has not requested are kept for it, `capacity` of them at most.
/// - **Completion**: after the values that are kept. When the last reference to the channel goes, it finishes.
/// - **Complexity**: two short locks and one drain per value and subscriber.
public final class Channel<Output, Failure: Error>: Publisher, @unchecked Sendable {
    /// What became of a value.
    public enum Answer: Hashable, Sendable {
        /// All subscribers have it, or have it kept for them.
        case sent
        /// A subscriber has no room for it.
        case full
        /// Nobody has subscribed.
        case noSubscribers
        /// The channel has ended.
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
        /// In the order in which they came; some may have gone.
        @usableFromInline var members: [Member] = []
        /// The senders that wait, by their numbers.
        @usableFromInline var senders: [Int: Sender] = [:]
        /// Their numbers, in the order in which they came; some may have been cancelled.
        @usableFromInline var order = Queue<Int>()
        /// Senders that have been cancelled before they came to wait.
        @usableFromInline var cancelled: Set<Int> = []
        @usableFromInline var number = 0
        @usableFromInline var gone = 0
        @usableFromInline var completion: Subscribers.Completion<Failure>?

        @inlinable init() {}
    }

    /// What becomes of a value, and whom it is due for.
    // One subscriber is by far the most frequent number, and needs no array.
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

    /// How many values are kept for each subscriber.
    public let capacity: Int

    /// Makes a channel.
    ///
    /// - Parameter capacity: How many values are kept for each subscriber. With zero, each value waits until all have
    ///   requested it. A negative one is a programmer's error and traps.
    @inlinable public init(capacity: Int) {
        if capacity < 0 {
            programmerError(
                rule: "The capacity of a channel is a number of values.", found: "Channel(capacity: \(capacity))",
                remedy: "Use 0 to keep nothing.")
        }
        self.capacity = capacity
    }

    @inlinable deinit { send(completion: .finished) }

    /// Connects a subscriber, which hears what is sent from now on.
    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
        let member = Member(capacity: capacity, whenFull: .dropNewest, AnySubscriber(subscriber))
        // Nothing is delivered before the subscriber has its subscription.
        _ = member.drain.enter()
        let completion: Subscribers.Completion<Failure>? = state.withLock { state in
            if state.completion == nil { state.members.append(member) }
            return state.completion
        }
        member.onRoom { [weak self, weak member] in
            if let self, let member { self.hasRoom(member) }
        }
        subscriber.receive(subscription: SourceSubscription(member, name: "Channel", isPatient: true))
        if let completion { member.finish(completion) }
        member.drain.leave()
        serveSenders()
    }

    /// Sends a value if nobody has to wait for that.
    ///
    /// - Returns: What becomes of the value. It is sent, or dropped.
    @inlinable public func trySend(_ value: Output) -> Answer {
        let offer = state.withLock { state in
            state.senders.isEmpty || state.completion != nil ? self.offer(value, &state) : Offer(.full)
        }
        offer.serve()
        return offer.answer
    }

    /// Sends a value, and waits until there is room for it.
    ///
    /// - Returns: What becomes of the value: `.sent`, or `.finished` where the channel has ended.
    /// - Throws: An error if the task is cancelled before the value has been sent; it is not sent then.
    @discardableResult
    @inlinable public nonisolated(nonsending) func send(_ value: Output) async throws(CancellationError) -> Answer {
        if Task.isCancelled { throw CancellationError() }
        let answer = trySend(value)
        if answer == .sent || answer == .finished { return answer }
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        let late: Answer? = await withTaskCancellationHandler {
            await withUnsafeContinuation { (task: UnsafeContinuation<Answer?, Never>) in
                wait(Sender(number: number, value: value, task: task))
            }
        } onCancel: {
            cancelSender(number)
        }
        // A cancel that came when the value had been sent is not remembered.
        if Task.isCancelled { state.withLock { _ = $0.cancelled.remove(number) } }
        guard let late else { throw CancellationError() }
        return late
    }

    /// Ends the stream of every subscriber, after the values that are kept for it.
    ///
    /// Whoever waits to send is told.
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

    /// Takes a value in for all subscribers, or for none.
    @inlinable func offer(_ value: Output, _ state: inout State) -> Offer {
        if state.completion != nil { return Offer(.finished) }
        var isHeard = false
        for member in state.members {
            switch member.room {
            case .some(true): isHeard = true
            case .some(false): return Offer(.full)
            case nil: continue
            }
        }
        if !isHeard { return Offer(.noSubscribers) }
        // Nobody else takes room away meanwhile.
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
            // Each goes at the price of a few, however many there are.
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
                state.gone += 1
                // Each leaves at the price of a few, however many there are.
                if state.gone * 2 >= state.members.count {
                    state.members.removeAll { $0.isOver }
                    state.gone = 0
                }
            }
        }
        serveSenders()
    }

    /// Sends for those that wait, as far as there is room.
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
