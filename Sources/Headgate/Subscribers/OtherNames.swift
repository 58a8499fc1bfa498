// What is typed by mistake, or out of habit from another library, so that the compiler says what to write. Nothing here can be called;
// disfavoured, so that it never competes with what can be.

extension Publisher {
    /// Unavailable: a stream that may fail needs a closure for its completion, too.
    @available(
        *, unavailable,
        message:
            "this stream may fail: write sink(receiveCompletion:receiveValue:), or handle failures before, as with catch"
    )
    @_disfavoredOverload
    public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable { unavailable() }

    /// Unavailable: what `flatMap` subscribes to fails as the stream does.
    @available(
        *, unavailable,
        message:
            "both have to fail with the same type: write setFailureType(to:) after the one that never fails, or mapError"
    )
    @_disfavoredOverload
    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMap<AnyPublisher<P.Output, P.Failure>, AnyPublisher<Output, P.Failure>> { unavailable() }

    /// Unavailable: the closure of `flatMap` returns a publisher, and doesn't wait.
    @available(
        *, unavailable,
        message:
            "flatMap's closure returns a publisher: write map for a value, or asyncMap or asyncFlatMap for a closure that waits"
    )
    @_disfavoredOverload
    public func flatMap<T>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping @Sendable (Output) async throws -> T
    ) -> Publishers.AsyncMap<Self, T, any Error> { unavailable() }
}

extension Publisher {
    /// Unavailable: the name of RxSwift for `eraseToAnyPublisher()`.
    @available(*, unavailable, renamed: "eraseToAnyPublisher()")
    public func asObservable() -> AnyPublisher<Output, Failure> { unavailable() }

    /// Unavailable: the name of RxSwift for `replaceError(with:)`.
    @available(*, unavailable, renamed: "replaceError(with:)")
    public func catchAndReturn(_ output: Output) -> AnyPublisher<Output, Never> { unavailable() }

    /// Unavailable: the name of RxSwift for `append(_:)`.
    @available(*, unavailable, renamed: "append(_:)")
    public func concat(_ other: some Publisher<Output, Failure>) -> AnyPublisher<Output, Failure> { unavailable() }

    /// Unavailable: the name of RxSwift for `removeDuplicates()`.
    @available(*, unavailable, renamed: "removeDuplicates()")
    public func distinctUntilChanged() -> AnyPublisher<Output, Failure> { unavailable() }

    /// Unavailable: the name of RxSwift for `handleEvents(receiveOutput:)`.
    @available(*, unavailable, renamed: "handleEvents(receiveOutput:)")
    public func `do`(onNext: @escaping (Output) -> Void) -> AnyPublisher<Output, Failure> { unavailable() }

    /// Unavailable: the name of RxJava and Reactor for `handleEvents(receiveOutput:)`.
    @available(*, unavailable, renamed: "handleEvents(receiveOutput:)")
    public func doOnNext(_ onNext: @escaping (Output) -> Void) -> AnyPublisher<Output, Failure> { unavailable() }

    /// Unavailable: the name of RxSwift for `receive(on:)`.
    @available(*, unavailable, renamed: "receive(on:)")
    public func observe(on scheduler: some Scheduler) -> AnyPublisher<Output, Failure> { unavailable() }

    /// Unavailable: the name of Reactor for `receive(on:)`.
    @available(*, unavailable, renamed: "receive(on:)")
    public func publishOn(_ scheduler: some Scheduler) -> AnyPublisher<Output, Failure> { unavailable() }

    /// Unavailable: the name of RxSwift for `dropFirst(_:)`.
    @available(*, unavailable, renamed: "dropFirst(_:)")
    public func skip(_ count: Int) -> AnyPublisher<Output, Failure> { unavailable() }

    /// Unavailable: the name of RxSwift for `drop(untilOutputFrom:)`.
    @available(*, unavailable, renamed: "drop(untilOutputFrom:)")
    public func skip(until other: some Publisher) -> AnyPublisher<Output, Failure> { unavailable() }

    /// Unavailable: the name of RxSwift for `drop(while:)`.
    @available(*, unavailable, renamed: "drop(while:)")
    public func skip(while predicate: @escaping (Output) -> Bool) -> AnyPublisher<Output, Failure> { unavailable() }

    /// Unavailable: the name of RxSwift for `prepend(_:)`.
    @available(*, unavailable, renamed: "prepend(_:)")
    public func startWith(_ outputs: Output...) -> AnyPublisher<Output, Failure> { unavailable() }

    /// Unavailable: the name of RxSwift for `sink(receiveValue:)`.
    @available(*, unavailable, renamed: "sink(receiveValue:)")
    public func subscribe(onNext: @escaping (Output) -> Void) -> AnyCancellable { unavailable() }

    /// Unavailable: the name of RxSwift for `switchToLatest()`.
    @available(*, unavailable, renamed: "switchToLatest()")
    public func switchLatest() -> AnyPublisher<Output, Failure> { unavailable() }

    /// Unavailable: the name of RxSwift for `prefix(_:)`.
    @available(*, unavailable, renamed: "prefix(_:)")
    public func take(_ count: Int) -> AnyPublisher<Output, Failure> { unavailable() }

    /// Unavailable: the name of RxSwift for `prefix(untilOutputFrom:)`.
    @available(*, unavailable, renamed: "prefix(untilOutputFrom:)")
    public func take(until other: some Publisher) -> AnyPublisher<Output, Failure> { unavailable() }

    /// Unavailable: the name of RxSwift for `prefix(while:)`.
    @available(*, unavailable, renamed: "prefix(while:)")
    public func take(while predicate: @escaping (Output) -> Bool) -> AnyPublisher<Output, Failure> { unavailable() }

    /// Unavailable: the name of RxSwift for `collect()`.
    @available(*, unavailable, renamed: "collect()")
    public func toArray() -> AnyPublisher<[Output], Failure> { unavailable() }
}

private func unavailable() -> Never {
    programmerError(rule: "This can't be called.", found: "a call", remedy: "Write what the compiler says.")
}
