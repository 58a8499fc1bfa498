extension Publisher {
    /// Transforms each value into a publisher with an asynchronous closure, and merges at most `maxConcurrent` of them.
    ///
    /// An upstream that can't wait, such as a subject, drops what it publishes while that many publishers are being
    /// created or are active: put `buffer` before this operator to keep it.
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
    /// Unlike that of `flatMap`, the closure may suspend. For an asynchronous sequence, return its `publisher`.
    ///
    /// - **Demand**: requests `maxConcurrent` values from upstream, and another each time an inner publisher has
    ///   finished. At most that many publishers are being created or are active. Requests values from the inner
    ///   publishers one by one, or all at once when downstream demand is unlimited.
    /// - **Completion**: finishes when upstream and all inner publishers have finished. The first failure of any of
    ///   them ends the stream, and cancels the running work.
    /// - **Complexity**: that of `asyncMap` per publisher and of `flatMap` per value.
    /// - **Threads**: the closure runs in tasks; values are delivered on the thread on which an inner publisher
    ///   delivers.
    ///
    /// - Parameters:
    ///   - maxConcurrent: The maximum number of publishers that are being created or are active. A number below one
    ///     traps.
    ///   - transform: Creates a publisher from a value.
    @inlinable public func asyncFlatMap<P: Publisher>(
        maxConcurrent: Int = 1, _ transform: @escaping @Sendable (Output) async throws(Failure) -> P
    ) -> Publishers.FlatMap<P, Publishers.AsyncMap<Self, P, Failure>>
    where P.Failure == Failure, Output: Sendable {
        // What waits to be active is created only when it may be.
        Publishers.AsyncMap(upstream: self, maxConcurrent, false, worksAhead: false, translate: { $0 }) {
            value, pass async throws(Failure) in pass(try await transform(value))
        }
        .flatMap(maxPublishers: .max(maxConcurrent)) { $0 }
    }
}
