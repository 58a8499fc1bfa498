/// A value that owns something, such as an open connection, and is given back unless somebody takes it.
///
/// A stream drops values: those that wait in a queue when it is cancelled or fails, a result that comes after that,
/// and those that `switchToLatest` or a full buffer displaces. Wrap a value where it is created, and take it where its
/// owner is known:
///
/// ```swift
/// import Headgate
///
/// let connections = ["a", "b", "c"].publisher
///     .map { name in Owned(name, onDiscard: { print("closed", $0) }) }
/// let cancellable = connections
///     .last()
///     .taken()
///     .sink { print("using", $0) }
/// // closed a
/// // closed b
/// // using c
/// ```
///
/// The value is discarded exactly once, when the last copy of this is released and nobody has taken it: so it works with every
/// operator, also with a closure of `asyncMap` or `Publishers.task` that returns after the stream has been cancelled, and with
/// `firstValue`.
///
/// It may be used from any number of threads.
public final class Owned<Value> {
    @usableFromInline let content: Guarded<Value?>

    @usableFromInline let onDiscard: @Sendable (Value) -> Void

    /// Keeps a value until it is taken.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - onDiscard: Gives the value back. Called at most once, on the thread that releases the last copy.
    @inlinable public init(_ value: Value, onDiscard: @escaping @Sendable (Value) -> Void) {
        // Whoever takes it out of the lock has it alone.
        nonisolated(unsafe) let value: Value? = value
        content = Guarded(value)
        self.onDiscard = onDiscard
    }

    @inlinable deinit {
        if let value = take() { onDiscard(value) }
    }

    /// Takes the value: whoever has it is responsible for it from now on.
    ///
    /// - Returns: The value; `nil` if it has been taken, as by another subscriber of a shared stream.
    @inlinable public func take() -> Value? { content.withLock { $0.take() } }
}

// A lock guards the content.
extension Owned: @unchecked Sendable where Value: Sendable {}

extension Publisher {
    /// Makes an owned value of each value, which is given back if nobody takes it.
    ///
    /// ```
    /// self   1---2---3---|
    /// owned  1---2---3---|
    /// ```
    ///
    /// ```swift
    /// let cancellable = (1...3).publisher
    ///     .owned(onDiscard: { print("gave back", $0) })
    ///     .drop(while: { _ in true })
    ///     .taken()
    ///     .sink { print($0) }
    /// // gave back 1
    /// // gave back 2
    /// // gave back 3
    /// ```
    ///
    /// Put it directly after the operator that creates the values, and ``taken()`` where the owner is known. What that
    /// operator itself drops is out of reach: a closure that may return after a cancellation makes an ``Owned`` of its result.
    ///
    /// - **Demand**, **Completion** and **Threads**: those of `map`.
    /// - **Complexity**: an object per value.
    ///
    /// - Parameter discard: Gives a value back. Called at most once per value, on the thread that releases it.
    @inlinable public func owned(
        onDiscard discard: @escaping @Sendable (Output) -> Void
    ) -> Publishers.Map<Self, Owned<Output>> {
        map { Owned($0, onDiscard: discard) }
    }

    /// Takes the owned values: from here on, the subscriber is responsible for them.
    ///
    /// ```
    /// self   1---2---3---|
    /// taken  1---2---3---|
    /// ```
    ///
    /// ```swift
    /// let cancellable = Just(Owned("connection", onDiscard: { print("closed", $0) }))
    ///     .taken()
    ///     .sink { print($0) }
    /// // connection
    /// ```
    ///
    /// A value that has been taken already is dropped.
    ///
    /// - **Demand**, **Completion**, **Threads** and **Complexity**: those of `compactMap`, and a short lock per value.
    @inlinable public func taken<Value>() -> Publishers.CompactMap<Self, Value> where Output == Owned<Value> {
        compactMap { $0.take() }
    }
}
