import HeadgateCombine
import HeadgateCore

extension Publisher {
    /// Shares one subscription of this publisher, and gives late subscribers the last values first.
    ///
    /// ```
    /// self      1---2---3---4---|
    /// early     1---2---3---4---|
    /// late              (23)4---|
    /// ```
    ///
    /// ```swift
    /// let source = PassthroughSubject<Int, Never>()
    /// let shared = source.share(replay: 1)
    /// let early = shared.sink { print("early", $0) }
    /// source.send(1)
    /// // early 1
    /// let late = shared.sink { print("late", $0) }
    /// // late 1
    /// ```
    ///
    /// The values stay when the last subscriber leaves, and the next one begins with them. Where that is wrong, or upstream
    /// should be asked for no more than its subscribers want, use ``shareReplay(capacity:)``.
    ///
    /// - **Demand**: each subscriber has its own. Upstream is asked for everything once anybody has asked.
    /// - **Completion**: passed on, to late subscribers too, after the last values.
    /// - **Complexity**: that of ``ReplaySubject``.
    ///
    /// - Parameter count: How many values are replayed at the most; zero and `.max` are allowed. A negative number traps.
    public func share(
        replay count: Int
    ) -> Publishers.Autoconnect<Publishers.Multicast<Self, ReplaySubject<Output, Failure>>>
    where Output: StrictlySendable {
        multicast(subject: ReplaySubject(bufferSize: count)).autoconnect()
    }
}
