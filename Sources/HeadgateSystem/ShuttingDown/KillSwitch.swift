import Headgate

/// Turns streams off, from anywhere, once and for all.
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

    /// Makes a switch that is on.
    public init() {}

    /// Whether the streams are turned off.
    public var isOff: Bool { state.value }

    /// Turns the streams off; a second time it does nothing.
    ///
    /// They end in the order in which they were subscribed to, each on this thread, before this returns. What they have
    /// published before is on its way and is not touched.
    public func turnOff() {
        if !state.value { state.send(true) }
    }

    /// Publishes once, when the streams are turned off, or at once where they are already.
    ///
    /// **Demand**: nothing is published before it is asked for; then at once, if it is time. **Completion**: finishes after its value.
    /// **Complexity**: constant.
    public var publisher: AnyPublisher<Void, Never> {
        state.filter { $0 }.map { _ in () }.first().eraseToAnyPublisher()
    }
}

extension Publisher {
    /// Publishes what upstream does until a switch turns it off.
    ///
    /// ```
    /// self      1---2---3---4---
    /// switch    ----------o
    /// stopped   1---2-----|
    /// ```
    ///
    /// ```swift no-run
    /// let off = KillSwitch()
    /// let lines = File("access.log").follow(from: .end).stopped(by: off).lines()
    /// ```
    ///
    /// Put it right after the source: what comes after it is drained, what comes before it is cut off.
    ///
    /// - **Demand**: passed on as it is.
    /// - **Completion**: finishes when the switch is turned off, at once where it is off already, and cancels upstream.
    /// - **Complexity**: as for `prefix(untilOutputFrom:)`.
    public func stopped(by killSwitch: KillSwitch) -> Publishers.PrefixUntilOutput<Self, AnyPublisher<Void, Never>> {
        prefix(untilOutputFrom: killSwitch.publisher)
    }
}
