import HeadgateLibC

extension Connection {
    /// Publishes one connection to an address, once it is open.
    ///
    /// ```
    /// connect   -----c|
    /// ```
    ///
    /// ```swift
    /// let connecting = Connection.connect(to: .tcp(host: "127.0.0.1", port: 1))
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print("open:", $0) })
    /// // failure(connect 127.0.0.1:1: Connection refused)
    /// ```
    ///
    /// A name may have several addresses: they are tried in order, and the first that accepts is used. The name is
    /// looked up on a thread of its own, where it delays no other stream.
    ///
    /// - **Demand**: begins with the first request.
    /// - **Completion**: finishes right after the connection. Fails with a ``SystemError`` if there is no such host
    ///   (`EHOSTUNREACH`), and with the error of the last address that was tried: refused (`ECONNREFUSED`), no answer
    ///   (`ETIMEDOUT`, which takes the system some minutes), no such Unix socket (`ENOENT`), no descriptor left
    ///   (`EMFILE`). A Unix socket with a full backlog is waited for. `cancel()` takes effect immediately; a look-up
    ///   under way runs to its end unused.
    /// - **Threads**: the connection or a failure is delivered on a queue of the subscription's own.
    /// - **Complexity**: a few system calls per address.
    ///
    /// - Parameters:
    ///   - address: Where to connect. A port outside 1 to 65,535 is a failure (`EINVAL`).
    ///   - options: The options of the connection.
    public static func connect(
        to address: SocketAddress, options: SocketOptions = SocketOptions()
    ) -> Publishers.Connecting {
        connect(to: address, options: options, calls: .live)
    }

    /// Publishes one connection to an address, unless it takes too long.
    ///
    /// ```swift no-run
    /// import Dispatch
    /// import HeadgateSystem
    ///
    /// let connecting = Connection.connect(
    ///     to: .tcp(host: "10.0.0.1", port: 80), timeout: .seconds(2), scheduler: DispatchQueue.main)
    /// ```
    ///
    /// **Demand** and **Complexity** are those of ``connect(to:options:)``. **Completion**: also fails, with the code
    /// `ETIMEDOUT`, when the timeout expires. **Threads**: the connection and a failure are delivered on the scheduler.
    ///
    /// - Parameters:
    ///   - address: Where to connect.
    ///   - options: The options of the connection.
    ///   - timeout: The maximum time, including the look-up of the name.
    ///   - scheduler: The scheduler that measures the timeout.
    public static func connect<S: Scheduler>(
        to address: SocketAddress, options: SocketOptions = SocketOptions(),
        timeout: S.SchedulerTimeType.Stride, scheduler: S
    ) -> Publishers.Timeout<Publishers.Connecting, S> {
        connect(to: address, options: options)
            .timeout(
                timeout, scheduler: scheduler,
                customError: { SystemError(call: "connect", code: ETIMEDOUT, subject: "\(address)") })
    }

    /// Publishes one connection to an address, unless it takes too long on a clock.
    ///
    /// ```swift no-run
    /// import HeadgateSystem
    ///
    /// let connecting = Connection.connect(to: .tcp(host: "10.0.0.1", port: 80), timeout: .seconds(2))
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of
    /// ``connect(to:options:timeout:scheduler:)`` on a `ClockScheduler`.
    ///
    /// - Parameters:
    ///   - address: Where to connect.
    ///   - options: The options of the connection.
    ///   - timeout: The maximum time, including the look-up of the name.
    ///   - clock: The clock that measures it.
    public static func connect(
        to address: SocketAddress, options: SocketOptions = SocketOptions(), timeout: Duration,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> Publishers.Timeout<Publishers.Connecting, ClockScheduler> {
        connect(to: address, options: options, timeout: .init(timeout), scheduler: ClockScheduler(clock))
    }

    package static func connect(
        to address: SocketAddress, options: SocketOptions = SocketOptions(), calls: SystemCalls
    ) -> Publishers.Connecting {
        Publishers.Connecting(address: address, options: options, calls: calls)
    }
}

extension Publishers {
    /// A publisher of one connection, once it is open.
    public struct Connecting: Publisher, Sendable {
        /// The type of the published values.
        public typealias Output = Connection

        /// The type of error that the stream may fail with.
        public typealias Failure = SystemError

        /// Where to connect.
        public let address: SocketAddress

        /// The options of the connection.
        public let options: SocketOptions

        let calls: SystemCalls

        /// Connects a subscriber; each one gets a connection of its own.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            serve(AnySubscriber(subscriber))
        }

        @usableFromInline func serve(_ subscriber: AnySubscriber<Output, Failure>) {
            PollingPublisher(name: "Connecting", on: { .waiting("connecting") }) { () throws(SystemError) in
                try ConnectingSource(to: address, options: options, calls: calls)
            }
            .serve(subscriber)
        }
    }
}
