import HeadgateEngine
import HeadgateLibC

extension Publisher {
    /// Forwards everything, and stops in the debugger when a closure returns `true`.
    ///
    /// ```
    /// self         1---2---|
    /// breakpoint   1---2---|
    /// ```
    ///
    /// ```swift no-run
    /// let cancellable = (-1...1).publisher
    ///     .breakpoint(receiveOutput: { $0 < 0 })
    ///     .sink { print($0) }
    /// // the program stops with SIGTRAP, and without a debugger it ends here
    /// ```
    ///
    /// - **Demand**: forwarded unchanged.
    /// - **Completion**: forwarded unchanged.
    /// - **Threads**: upstream's: everything is forwarded on the thread on which it arrives; the closures are called
    ///   there, and the debugger stops there.
    /// - **Complexity**: one call of a closure per event.
    ///
    /// - Parameters:
    ///   - receiveSubscription: Returns whether to stop at the subscription.
    ///   - receiveOutput: Returns whether to stop at a value.
    ///   - receiveCompletion: Returns whether to stop at the completion.
    @preconcurrency @inlinable public func breakpoint(
        receiveSubscription: (@Sendable (any Subscription) -> Bool)? = nil,
        receiveOutput: (@Sendable (Output) -> Bool)? = nil,
        receiveCompletion: (@Sendable (Subscribers.Completion<Failure>) -> Bool)? = nil
    ) -> Publishers.Breakpoint<Self> {
        Publishers.Breakpoint(
            upstream: self, receiveSubscription: receiveSubscription, receiveOutput: receiveOutput,
            receiveCompletion: receiveCompletion)
    }

    /// Forwards everything, and stops in the debugger if upstream fails.
    ///
    /// ```
    /// self                1---2---x
    /// breakpointOnError   1---2---x     stops with SIGTRAP before it forwards the failure
    /// ```
    ///
    /// - **Demand**: forwarded unchanged.
    /// - **Completion**: forwarded unchanged.
    /// - **Threads**: upstream's: everything is forwarded on the thread on which it arrives; the debugger stops on that
    ///   on which upstream fails.
    /// - **Complexity**: no cost per value.
    @inlinable public func breakpointOnError() -> Publishers.Breakpoint<Self> {
        breakpoint(receiveCompletion: { if case .failure = $0 { true } else { false } })
    }
}

extension Publishers {
    /// A publisher that forwards everything and stops in the debugger when a closure returns `true`.
    public struct Breakpoint<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// Returns whether to stop at the subscription.
        public let receiveSubscription: (@Sendable (any Subscription) -> Bool)?

        /// Returns whether to stop at a value.
        public let receiveOutput: (@Sendable (Upstream.Output) -> Bool)?

        /// Returns whether to stop at the completion.
        public let receiveCompletion: (@Sendable (Subscribers.Completion<Failure>) -> Bool)?

        /// Creates the publisher that `breakpoint` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, receiveSubscription: (@Sendable (any Subscription) -> Bool)? = nil,
            receiveOutput: (@Sendable (Upstream.Output) -> Bool)? = nil,
            receiveCompletion: (@Sendable (Subscribers.Completion<Failure>) -> Bool)? = nil
        ) {
            self.upstream = upstream
            self.receiveSubscription = receiveSubscription
            self.receiveOutput = receiveOutput
            self.receiveCompletion = receiveCompletion
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            var observer = ClosureObserver<Output, Failure>()
            observer.subscription = receiveSubscription.map(stopping)
            observer.value = receiveOutput.map(stopping)
            observer.completion = receiveCompletion.map(stopping)
            upstream.receive(subscriber: TransparentConduit(observer, subscriber))
        }
    }
}

extension Publishers.Breakpoint: Sendable where Upstream: Sendable {}

/// Creates a closure that stops in the debugger when a condition holds.
@inlinable func stopping<Value>(_ condition: @escaping (Value) -> Bool) -> (Value) -> Void {
    { if condition($0) { stopInDebugger() } }
}

/// Stops the process so that a debugger can inspect it.
///
/// Swift's backtracer catches SIGTRAP and returns, so the program would continue as if nothing had happened. Therefore
/// the signal temporarily gets its default action, which is to end the process. A debugger intercepts it first, and
/// when it resumes the process, the previous action is restored.
@usableFromInline func stopInDebugger() {
    var previous = sigaction()
    sigaction(SIGTRAP, nil, &previous)
    signal(SIGTRAP, SIG_DFL)
    raise(SIGTRAP)
    sigaction(SIGTRAP, &previous, nil)
}
