@preconcurrency import Dispatch

extension Redis {
    typealias Answer<Output> = @Sendable (Result<Output, RedisError>) -> Void

    /// Publishes answers of the server, which is asked for each value that is requested, at most once in a time.
    ///
    /// - Parameters:
    ///   - time: How long to wait after an answer.
    ///   - question: Asks the server.
    func answers<Output: Sendable>(
        every time: Duration, _ question: @escaping @Sendable (@escaping Answer<Output>) -> Void
    ) -> AnyPublisher<Output, RedisError> {
        require(
            time >= .milliseconds(1), rule: "A group's lag is asked for after at least a millisecond.",
            found: "every: \(time)", remedy: "Pass a time in which it may change.")
        let answer = answer { emitter in question { emitter.take($0) } }
        let next = answer.delaySubscription(for: .init(time), scheduler: DispatchQueue.global())
        return answer.append(next.repeat(times: .max)).eraseToAnyPublisher()
    }

    /// Publishes the only answer to what is asked at the first request of each subscriber.
    // Inlined, so that it is specialised wherever it is used.
    @inline(__always) func answer<Output: Sendable>(
        _ ask: @escaping @Sendable (Emitter<Output, RedisError>) -> Void
    ) -> AnyPublisher<Output, RedisError> {
        Publishers.emitter(Output.self, failure: RedisError.self, buffering: .bounded(1, .dropNewest)) { emitter in
            let isAsked = Once()
            emitter.onRequest { _ in if isAsked.isFirst() { ask(emitter) } }
        }
        .eraseToAnyPublisher()
    }
}
