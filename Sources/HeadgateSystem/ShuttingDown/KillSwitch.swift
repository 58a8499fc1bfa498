/// Ends streams from anywhere, permanently.
///
/// ```swift
/// let off = KillSwitch()
/// let numbers = PassthroughSubject<Int, Never>()
/// let cancellable = numbers.stopped(by: off).sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
/// numbers.send(1)
/// off.turnOff()
/// // 1
/// // finished
/// ```
public final class KillSwitch: Sendable {
    private let state = CurrentValueSubject<Bool, Never>(false)

    /// The number of streams that this switch would stop, and what happens when there is none left.
    private let streams = Guarded((count: 0, onNone: nil as (@Sendable () -> Void)?))

    /// Creates a switch that is on.
    public init() {}

    /// Sets what is called each time that the last stream that it would stop has ended.
    func whenNoneIsLeft(_ onNone: @escaping @Sendable () -> Void) { streams.withLock { $0.onNone = onNone } }

    /// Whether the streams are turned off.
    public var isOff: Bool { state.value }

    /// Turns the streams off; a second call does nothing.
    ///
    /// They finish in the order of their subscriptions, on this thread, before this returns; one to which another thread
    /// is delivering for longer than rule 3.6 of the contract allows finishes there. Values they have already published
    /// are not affected.
    public func turnOff() {
        if !state.value { state.send(true) }
    }

    /// Publishes one value when the streams are turned off, immediately if they are off already.
    ///
    /// **Demand**: publishes nothing without demand; a value that is due waits for it. **Completion**: finishes after
    /// its value. **Threads**: the value is delivered on the thread that turns off, and if the streams are off already, on
    /// the thread that requests. **Complexity**: constant.
    public var publisher: AnyPublisher<Void, Never> {
        state.filter { $0 }.map { _ in () }.first().eraseToAnyPublisher()
    }

    /// The number of streams that are not stopped yet.
    var streamCount: Int { streams.withLock { $0.count } }

    /// The publisher, for a stream that is counted while it is subscribed to this.
    var publisherForAStream: AnyPublisher<Void, Never> {
        AnyPublisher(
            Deferred { [self] in
                streams.withLock { $0.count += 1 }
                // Once, and at the latest when it is released.
                let streamEnd = AnyCancellable { [self] in leave() }
                return publisher.handleEvents(
                    receiveCompletion: { _ in streamEnd.cancel() }, receiveCancel: streamEnd.cancel)
            })
    }

    private func leave() {
        let onNone = streams.withLock { streams in
            streams.count -= 1
            return streams.count == 0 ? streams.onNone : nil
        }
        onNone?()
    }
}

extension Publisher {
    /// Republishes upstream until a switch turns it off.
    ///
    /// ```
    /// self      1---2---3---4---
    /// switch    ----------o
    /// stopped   1---2---3-|
    /// ```
    ///
    /// ```swift no-run
    /// let off = KillSwitch()
    /// let lines = File("access.log").follow(from: .end).stopped(by: off).lines()
    /// ```
    ///
    /// Put it right after the source: operators downstream of it drain, those upstream of it are cancelled.
    ///
    /// - **Demand**: forwarded unchanged.
    /// - **Completion**: finishes when the switch is turned off, immediately if it is off already, and cancels
    ///   upstream.
    /// - **Threads**: a value is delivered on the thread on which upstream delivers it, the end on the thread that
    ///   turns the switch off. If a value is being delivered then, the end waits for it, or is left to that thread if
    ///   that takes long (rule 3.6 of the contract).
    /// - **Complexity**: as for `prefix(untilOutputFrom:)`.
    public func stopped(by killSwitch: KillSwitch) -> Publishers.PrefixUntilOutput<Self, AnyPublisher<Void, Never>> {
        prefix(untilOutputFrom: killSwitch.publisherForAStream)
    }
}
