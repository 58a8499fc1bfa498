import HeadgateCore
import HeadgateEngine

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension Publisher {
    /// Passes everything on, and stops in the debugger when a closure says so.
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
    /// - **Demand**: passed on as it is.
    /// - **Completion**: passed on as it is.
    /// - **Complexity**: one call of a closure for each thing that happens.
    ///
    /// - Parameters:
    ///   - receiveSubscription: Answers whether to stop at the subscription.
    ///   - receiveOutput: Answers whether to stop at a value.
    ///   - receiveCompletion: Answers whether to stop at the completion.
    @inlinable public func breakpoint(
        receiveSubscription: StreamClosure<any Subscription, Bool>? = nil,
        receiveOutput: StreamClosure<Output, Bool>? = nil,
        receiveCompletion: StreamClosure<Subscribers.Completion<Failure>, Bool>? = nil
    ) -> Publishers.Breakpoint<Self> {
        Publishers.Breakpoint(
            upstream: self, receiveSubscription: receiveSubscription, receiveOutput: receiveOutput,
            receiveCompletion: receiveCompletion)
    }

    /// Passes everything on, and stops in the debugger when the stream fails.
    ///
    /// ```
    /// self                1---2---x
    /// breakpointOnError   1---2---x   the program stops with SIGTRAP
    /// ```
    ///
    /// - **Demand**: passed on as it is.
    /// - **Completion**: passed on as it is.
    /// - **Complexity**: nothing for a value.
    @inlinable public func breakpointOnError() -> Publishers.Breakpoint<Self> {
        breakpoint(receiveCompletion: { if case .failure = $0 { true } else { false } })
    }
}

extension Publishers {
    /// A publisher that passes everything on and stops in the debugger when a closure says so.
    public struct Breakpoint<Upstream: Publisher>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher that is looked at.
        public let upstream: Upstream

        /// Answers whether to stop at the subscription.
        public let receiveSubscription: StreamClosure<any Subscription, Bool>?

        /// Answers whether to stop at a value.
        public let receiveOutput: StreamClosure<Upstream.Output, Bool>?

        /// Answers whether to stop at the completion.
        public let receiveCompletion: StreamClosure<Subscribers.Completion<Failure>, Bool>?

        /// Makes the publisher that `breakpoint` returns.
        @inlinable public init(
            upstream: Upstream, receiveSubscription: StreamClosure<any Subscription, Bool>? = nil,
            receiveOutput: StreamClosure<Upstream.Output, Bool>? = nil,
            receiveCompletion: StreamClosure<Subscribers.Completion<Failure>, Bool>? = nil
        ) {
            self.upstream = upstream
            self.receiveSubscription = receiveSubscription
            self.receiveOutput = receiveOutput
            self.receiveCompletion = receiveCompletion
        }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            var observer = StreamObserver<Output, Failure>()
            observer.subscription = receiveSubscription.map(stopping)
            observer.value = receiveOutput.map(stopping)
            observer.completion = receiveCompletion.map(stopping)
            upstream.receive(subscriber: TransparentObserver(observer, subscriber))
        }
    }
}

extension Publishers.Breakpoint: StrictlySendable where Upstream: StrictlySendable {}

/// Makes a closure that stops in the debugger when another one says so.
@inlinable func stopping<Value>(_ condition: @escaping (Value) -> Bool) -> (Value) -> Void {
    { if condition($0) { stopInDebugger() } }
}

/// Stops the process where a debugger can look at it.
///
/// Swift's backtracer catches SIGTRAP and returns, and with it the program would go on as if nothing had been said. So
/// the signal gets its default action for this moment, which is to end the process. A debugger takes it before that, and
/// when it lets the process go on, everything is as it was.
@usableFromInline func stopInDebugger() {
    var previous = sigaction()
    sigaction(SIGTRAP, nil, &previous)
    signal(SIGTRAP, SIG_DFL)
    raise(SIGTRAP)
    sigaction(SIGTRAP, &previous, nil)
}
