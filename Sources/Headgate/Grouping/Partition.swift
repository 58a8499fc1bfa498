import HeadgateCombine
import HeadgateCore

extension Publisher {
    /// Divides the values between two publishers: those that meet a condition, and the others.
    ///
    /// ```swift
    /// let numbers = PassthroughSubject<Int, Never>()
    /// let (even, odd) = numbers.partition { $0.isMultiple(of: 2) }
    /// let cancellables = [even.sink { print("even", $0) }, odd.sink { print("odd", $0) }]
    /// (1...3).forEach { numbers.send($0) }
    /// // odd 1
    /// // even 2
    /// // odd 3
    /// ```
    ///
    /// Both share one subscription to this publisher, which the first subscriber of either makes. What comes before the
    /// other one has a subscriber is lost to that, so an upstream that answers at once has to be held back until both are
    /// there, by `makeConnectable` for example.
    ///
    /// - **Demand**: upstream is requested what the side that is further ahead needs. What the other one has not read is
    ///   kept for it, without a limit.
    /// - **Completion**: passed on to both, after their values.
    /// - **Complexity**: two calls of the closure per value, one for each side.
    ///
    /// - Parameter predicate: Whether a value belongs to the matches.
    @inlinable public func partition(
        _ predicate: @escaping StreamClosure<Output, Bool>
    ) -> (matches: AnyPublisher<Output, Failure>, nonMatches: AnyPublisher<Output, Failure>)
    where Self: StrictlySendable, Output: StrictlySendable {
        let shared = shareReplay(capacity: 0)
        return (
            shared.filter(predicate).eraseToAnyPublisher(),
            shared.filter { !predicate($0) }.eraseToAnyPublisher()
        )
    }
}
