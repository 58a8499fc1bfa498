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
/// let orders = Channel<Order, Never>(capacity: 16)
/// let shipping = orders.asyncMap(maxConcurrent: 4) { await ship($0) }.sink { print($0) }
/// for order in today {
///     try await orders.send(order)
/// }
/// orders.send(completion: .finished)
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

    private typealias Member = EmitterConduit<Output, Failure>

    private struct Sender {
        let number: Int
        let value: Output
        let task: UnsafeContinuation<Answer?, Never>
    }

    private struct State {
        /// In the order in which they came; some may have gone.
        var members: [Member] = []
        var senders = Queue<Sender>()
        /// Senders that have been cancelled before they came to wait.
        var cancelled: Set<Int> = []
        /// The numbers of those that wait and have not been cancelled.
        var waiting: Set<Int> = []
        var number = 0
        var gone = 0
        var completion: Subscribers.Completion<Failure>?
    }

    private let state = Guarded(State())

    /// How many values are kept for each subscriber.
    public let capacity: Int

    /// Makes a channel.
    ///
    /// - Parameter capacity: How many values are kept for each subscriber. With zero, each value waits until all have
    ///   requested it. A negative one is a programmer's error and traps.
    public init(capacity: Int) {
        if capacity < 0 {
            programmerError(
                rule: "The capacity of a channel is a number of values.", found: "Channel(capacity: \(capacity))",
                remedy: "Use 0 to keep nothing.")
        }
        self.capacity = capacity
    }

    deinit { send(completion: .finished) }

    /// Connects a subscriber, which hears what is sent from now on.
    public func receive(subscriber: some Subscriber<Output, Failure>) {
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
    public func trySend(_ value: Output) -> Answer {
        let (answer, members) = state.withLock { state in
            state.senders.isEmpty || state.completion != nil ? offer(value, &state) : (.full, [])
        }
        for member in members { member.serve() }
        return answer
    }

    /// Sends a value, and waits until there is room for it.
    ///
    /// - Returns: What becomes of the value: `.sent`, or `.finished` where the channel has ended.
    /// - Throws: An error if the task is cancelled before the value has been sent; it is not sent then.
    @discardableResult
    public nonisolated(nonsending) func send(_ value: Output) async throws(CancellationError) -> Answer {
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
        guard let late else { throw CancellationError() }
        return late
    }

    /// Ends the stream of every subscriber, after the values that are kept for it.
    ///
    /// Whoever waits to send is told.
    public func send(completion: Subscribers.Completion<Failure>) {
        let old: State? = state.withLock { state in
            if state.completion != nil { return nil }
            let old = state
            state = State()
            state.completion = completion
            return old
        }
        guard var old else { return }
        while let sender = old.senders.popFirst() {
            if old.waiting.contains(sender.number) { sender.task.resume(returning: .finished) }
        }
        for member in old.members { member.finish(completion) }
    }

    /// Takes a value in for all subscribers, or for none.
    ///
    /// - Returns: What becomes of it, and which subscribers are to be served.
    private func offer(_ value: Output, _ state: inout State) -> (Answer, [Member]) {
        if state.completion != nil { return (.finished, []) }
        let members = state.members.filter { !$0.isOver }
        if members.isEmpty { return (.noSubscribers, []) }
        // Nobody else takes room away meanwhile.
        if !members.allSatisfy(\.hasRoom) { return (.full, []) }
        return (.sent, members.filter { $0.accept(value) == .sent })
    }

    private func wait(_ sender: Sender) {
        let isCancelled = state.withLock { state in
            if state.cancelled.remove(sender.number) != nil { return true }
            state.waiting.insert(sender.number)
            state.senders.append(sender)
            return false
        }
        if isCancelled { sender.task.resume(returning: nil) } else { serveSenders() }
    }

    private func cancelSender(_ number: Int) {
        let task: UnsafeContinuation<Answer?, Never>? = state.withLock { state in
            guard state.waiting.remove(number) != nil else {
                if state.completion == nil { state.cancelled.insert(number) }
                return nil
            }
            // Those in front of it keep their order.
            var others = Queue<Sender>()
            var task: UnsafeContinuation<Answer?, Never>?
            while let sender = state.senders.popFirst() {
                if sender.number == number { task = sender.task } else { others.append(sender) }
            }
            state.senders = others
            return task
        }
        task?.resume(returning: nil)
    }

    private func hasRoom(_ member: Member) {
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
    private func serveSenders() {
        while true {
            let served: (Sender, Answer, [Member])? = state.withLock { state in
                guard let sender = state.senders.first else { return nil }
                let (answer, members) = offer(sender.value, &state)
                if answer == .full || answer == .noSubscribers { return nil }
                state.senders.removeFirst()
                state.waiting.remove(sender.number)
                return (sender, answer, members)
            }
            guard let (sender, answer, members) = served else { return }
            for member in members { member.serve() }
            sender.task.resume(returning: answer)
        }
    }
}
