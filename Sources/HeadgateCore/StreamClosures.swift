// One list of aliases for the closures of operators and sinks, so that the trait `StrictClosures` changes them all at once.
// An alias is another name for the same type: without the trait these are the plain function types of Combine.

#if StrictClosures
    /// A closure that a stream calls: `StreamClosure<A, B, Result>` is `@Sendable (A, B) -> Result`.
    public typealias StreamClosure<each Input, Output> = @Sendable (repeat each Input) -> Output

    /// A closure that a stream calls and that may throw anything: `@Sendable (A, B) throws -> Result`.
    public typealias ThrowingStreamClosure<each Input, Output> = @Sendable (repeat each Input) throws -> Output

    /// A closure that a stream calls and that may throw one kind of error: `@Sendable (A, B) throws(Failure) -> Result`.
    public typealias FailingStreamClosure<each Input, Output, Failure: Error> =
        @Sendable (repeat each Input) throws(Failure) -> Output

    /// A closure that a stream calls with a state that it may change: `@Sendable (inout State, A) -> Result`.
    public typealias UpdatingStreamClosure<State, each Input, Output> =
        @Sendable (inout State, repeat each Input) -> Output

    /// A closure that a stream calls with a state that it may change, and that may throw one kind of error:
    /// `@Sendable (inout State, A) throws(Failure) -> Result`.
    public typealias FailingUpdatingStreamClosure<State, each Input, Output, Failure: Error> =
        @Sendable (inout State, repeat each Input) throws(Failure) -> Output

    /// A key path that a stream reads through: `KeyPath<Root, Value> & Sendable`.
    public typealias StreamKeyPath<Root, Value> = any KeyPath<Root, Value> & Sendable

    /// A key path that a stream writes through: `ReferenceWritableKeyPath<Root, Value> & Sendable`.
    public typealias WritableStreamKeyPath<Root, Value> = any ReferenceWritableKeyPath<Root, Value> & Sendable

    /// What may be carried to another thread: `Sendable`, for the trait `StrictClosures` is on.
    public typealias StrictlySendable = Sendable

    /// What conforms to protocols on every thread: `SendableMetatype`, for the trait `StrictClosures` is on.
    public typealias StrictlySendableMetatype = SendableMetatype
#else
    /// A closure that a stream calls: `StreamClosure<A, B, Result>` is `(A, B) -> Result`, and `@Sendable` under the trait
    /// `StrictClosures`.
    public typealias StreamClosure<each Input, Output> = (repeat each Input) -> Output

    /// A closure that a stream calls and that may throw anything: `(A, B) throws -> Result`, and `@Sendable` under the
    /// trait `StrictClosures`.
    public typealias ThrowingStreamClosure<each Input, Output> = (repeat each Input) throws -> Output

    /// A closure that a stream calls and that may throw one kind of error: `(A, B) throws(Failure) -> Result`, and
    /// `@Sendable` under the trait `StrictClosures`.
    public typealias FailingStreamClosure<each Input, Output, Failure: Error> =
        (repeat each Input) throws(Failure) -> Output

    /// A closure that a stream calls with a state that it may change: `(inout State, A) -> Result`, and `@Sendable` under
    /// the trait `StrictClosures`.
    public typealias UpdatingStreamClosure<State, each Input, Output> = (inout State, repeat each Input) -> Output

    /// A closure that a stream calls with a state that it may change, and that may throw one kind of error:
    /// `(inout State, A) throws(Failure) -> Result`, and `@Sendable` under the trait `StrictClosures`.
    public typealias FailingUpdatingStreamClosure<State, each Input, Output, Failure: Error> =
        (inout State, repeat each Input) throws(Failure) -> Output

    /// A key path that a stream reads through: `KeyPath<Root, Value>`, and `Sendable` under the trait `StrictClosures`.
    public typealias StreamKeyPath<Root, Value> = KeyPath<Root, Value>

    /// A key path that a stream writes through: `ReferenceWritableKeyPath<Root, Value>`, and `Sendable` under the trait
    /// `StrictClosures`.
    public typealias WritableStreamKeyPath<Root, Value> = ReferenceWritableKeyPath<Root, Value>

    /// Anything; `Sendable` under the trait `StrictClosures`, for what may be carried to another thread.
    public typealias StrictlySendable = Any

    /// Anything; `SendableMetatype` under the trait `StrictClosures`, for what conforms to protocols on every thread, and
    /// not on an actor alone.
    public typealias StrictlySendableMetatype = Any
#endif
