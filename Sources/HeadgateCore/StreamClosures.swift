// One list of aliases for the closures of operators and sinks, so that the trait `StrictClosures` changes them all at
// once. An alias is another name for the same type: without the trait, these are the plain function types of Combine.

#if StrictClosures
    /// A closure called by a stream: `StreamClosure<A, B, Result>` is `@Sendable (A, B) -> Result`.
    public typealias StreamClosure<each Input, Output> = @Sendable (repeat each Input) -> Output

    /// A closure called by a stream that may throw any error: `@Sendable (A, B) throws -> Result`.
    public typealias ThrowingStreamClosure<each Input, Output> = @Sendable (repeat each Input) throws -> Output

    /// A closure called by a stream that may throw one type of error: `@Sendable (A, B) throws(Failure) -> Result`.
    public typealias FailingStreamClosure<each Input, Output, Failure: Error> =
        @Sendable (repeat each Input) throws(Failure) -> Output

    /// A closure called by a stream with a state that it may change: `@Sendable (inout State, A) -> Result`.
    public typealias UpdatingStreamClosure<State, each Input, Output> =
        @Sendable (inout State, repeat each Input) -> Output

    /// A closure called by a stream with a state that it may change, and that may throw one type of error:
    /// `@Sendable (inout State, A) throws(Failure) -> Result`.
    public typealias FailingUpdatingStreamClosure<State, each Input, Output, Failure: Error> =
        @Sendable (inout State, repeat each Input) throws(Failure) -> Output

    /// A key path read by a stream: `KeyPath<Root, Value> & Sendable`.
    public typealias StreamKeyPath<Root, Value> = any KeyPath<Root, Value> & Sendable

    /// A key path written by a stream: `ReferenceWritableKeyPath<Root, Value> & Sendable`.
    public typealias WritableStreamKeyPath<Root, Value> = any ReferenceWritableKeyPath<Root, Value> & Sendable

    /// A type whose values may move to another thread: `Sendable`, because the trait `StrictClosures` is on.
    public typealias StrictlySendable = Sendable

    /// A type that conforms to protocols on every thread: `SendableMetatype`, because the trait `StrictClosures` is on.
    public typealias StrictlySendableMetatype = SendableMetatype
#else
    /// A closure called by a stream: `StreamClosure<A, B, Result>` is `(A, B) -> Result`, and `@Sendable` under the
    /// trait `StrictClosures`.
    public typealias StreamClosure<each Input, Output> = (repeat each Input) -> Output

    /// A closure called by a stream that may throw any error: `(A, B) throws -> Result`, and `@Sendable` under the
    /// trait `StrictClosures`.
    public typealias ThrowingStreamClosure<each Input, Output> = (repeat each Input) throws -> Output

    /// A closure called by a stream that may throw one type of error: `(A, B) throws(Failure) -> Result`, and
    /// `@Sendable` under the trait `StrictClosures`.
    public typealias FailingStreamClosure<each Input, Output, Failure: Error> =
        (repeat each Input) throws(Failure) -> Output

    /// A closure called by a stream with a state that it may change: `(inout State, A) -> Result`, and `@Sendable`
    /// under the trait `StrictClosures`.
    public typealias UpdatingStreamClosure<State, each Input, Output> = (inout State, repeat each Input) -> Output

    /// A closure called by a stream with a state that it may change, and that may throw one type of error:
    /// `(inout State, A) throws(Failure) -> Result`, and `@Sendable` under the trait `StrictClosures`.
    public typealias FailingUpdatingStreamClosure<State, each Input, Output, Failure: Error> =
        (inout State, repeat each Input) throws(Failure) -> Output

    /// A key path read by a stream: `KeyPath<Root, Value>`, and `Sendable` under the trait `StrictClosures`.
    public typealias StreamKeyPath<Root, Value> = KeyPath<Root, Value>

    /// A key path written by a stream: `ReferenceWritableKeyPath<Root, Value>`, and `Sendable` under the trait
    /// `StrictClosures`.
    public typealias WritableStreamKeyPath<Root, Value> = ReferenceWritableKeyPath<Root, Value>

    /// Any type; `Sendable` under the trait `StrictClosures`, for values that may move to another thread.
    public typealias StrictlySendable = Any

    /// Any type; `SendableMetatype` under the trait `StrictClosures`, for types that conform to protocols on every
    /// thread and not only on an actor.
    public typealias StrictlySendableMetatype = Any
#endif
