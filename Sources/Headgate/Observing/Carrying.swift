import HeadgateEngine

extension Publisher {
    /// Binds a task-local value, captured on subscription, around every delivery and every request.
    ///
    /// ```
    /// self      1---2---3---|
    /// carrying  1---2---3---|
    /// ```
    ///
    /// ```swift
    /// import Dispatch
    /// import Headgate
    ///
    /// enum Request { @TaskLocal static var id = "none" }
    ///
    /// let queue = DispatchQueue(label: "work")
    /// let cancellable = Request.$id.withValue("r-7") {
    ///     Just("order 1")
    ///         .receive(on: queue)
    ///         .carrying(Request.$id)
    ///         .sink { print("\(Request.id): \($0)") }
    /// }
    /// // r-7: order 1
    /// ```
    ///
    /// On another queue or thread, the subscriber's task-local values are not bound. Put this operator after the one
    /// that changes threads: downstream then receives values and the completion with the value bound, and upstream
    /// receives requests and `cancel()` with it. The closures of `asyncMap` and its relatives, and the tasks of
    /// `produce`, inherit the subscriber's task-local values without it.
    ///
    /// - **Demand** and **Completion**: forwarded.
    /// - **Threads**: upstream's: everything is forwarded on the thread on which it arrives, with the value bound
    ///   there.
    /// - **Complexity**: one binding per value.
    ///
    /// - Parameter local: The task-local to bind, such as `Request.$id`.
    @inlinable public func carrying<Value: Sendable>(_ local: TaskLocal<Value>) -> Publishers.Carrying<Self, Value> {
        Publishers.Carrying(upstream: self, local: local)
    }
}

extension Publishers {
    /// A publisher that binds a task-local value around every delivery and every request.
    public struct Carrying<Upstream: Publisher, Value: Sendable>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The task-local that is bound.
        public let local: TaskLocal<Value>

        /// Creates the publisher that `carrying(_:)` returns.
        @inlinable public init(upstream: Upstream, local: TaskLocal<Value>) {
            self.upstream = upstream
            self.local = local
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let binding = Binding(local: local, value: local.get())
            upstream.receive(subscriber: EnclosingConduit(name: "Carrying", binding, subscriber))
        }
    }
}

extension Publishers.Carrying: Sendable where Upstream: Sendable, Value: Sendable {}

/// A task-local and the value to bind around what passes.
@usableFromInline struct Binding<Value: Sendable>: Enclosure {
    @usableFromInline let local: TaskLocal<Value>
    @usableFromInline let value: Value

    @inlinable init(local: TaskLocal<Value>, value: Value) {
        self.local = local
        self.value = value
    }

    @inlinable func enclose<Result>(_ passage: Passage, _ forward: () -> Result) -> Result {
        local.withValue(value, operation: forward)
    }
}
