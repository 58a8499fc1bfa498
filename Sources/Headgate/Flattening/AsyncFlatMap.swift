import HeadgateCombine
import HeadgateCore

extension Publisher {
    /// Publishes the values of the publishers that an asynchronous closure makes of each value, so many at a time.
    ///
    /// ```
    /// self          1--2--------------|
    /// asyncFlatMap  a--b--c--|
    ///                        a--b--c--|
    ///               1a-1b-1c-2a-2b-2c-|
    /// ```
    ///
    /// ```swift no-run
    /// let pages = users.publisher.asyncFlatMap(maxConcurrent: 4) { user in
    ///     let account = await accounts.account(of: user)
    ///     return account.pages.publisher
    /// }
    /// ```
    ///
    /// The closure may wait, unlike that of `flatMap`. For an asynchronous sequence, return its `publisher`.
    ///
    /// - **Demand**: upstream is requested for `maxConcurrent` values, and for another when a publisher has finished. What
    ///   is made and what publishes together is never more than that. Values of the publishers are requested one by
    ///   one, or all at once where everything has been requested.
    /// - **Completion**: finishes when upstream and all publishers have. The first failure of any ends the stream, and
    ///   cancels what is at work.
    /// - **Complexity**: that of `asyncMap` per publisher and of `flatMap` per value.
    ///
    /// - Parameters:
    ///   - maxConcurrent: How many publishers are made or publish at a time. A number below one is a programmer's error
    ///     and traps.
    ///   - transform: Makes a publisher of a value.
    public func asyncFlatMap<P: Publisher & StrictlySendable>(
        maxConcurrent: Int = 1, _ transform: @escaping @Sendable (Output) async throws(Failure) -> P
    ) -> Publishers.FlatMap<P, Publishers.AsyncMap<Self, P, Failure>>
    where P.Failure == Failure, Output: StrictlySendable {
        asyncMap(maxConcurrent: maxConcurrent, ordered: false, transform)
            .flatMap(maxPublishers: .max(maxConcurrent)) { $0 }
    }
}
