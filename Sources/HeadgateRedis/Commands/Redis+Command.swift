import Headgate

extension Redis {
    /// Sends a command for each subscriber, and publishes the reply.
    ///
    /// ```
    /// command   -----r|
    /// ```
    ///
    /// ```swift no-run
    /// let redis = Redis("redis://127.0.0.1")
    /// _ = try await redis.command("SET", "greeting", "hello").firstValue
    /// print(try await redis.command("GET", "greeting").firstValue?.text ?? "")
    /// // hello
    /// ```
    ///
    /// Commands share one connection, and are sent without waiting for each other's replies. Those that block, such as
    /// `BLPOP`, would make all others wait.
    ///
    /// - **Demand**: the command is sent at the first request.
    /// - **Completion**: finishes right after the reply. Fails if the server answers with an error, if no connection can
    ///   be opened, and if the connection is lost between sending and the reply, because the server may have executed
    ///   the command or not. What a server refuses for a time, while it loads its data for example, is sent again by the
    ///   policy. After `cancel()`, a command that has been sent is executed all the same.
    /// - **Threads**: the reply is delivered on the queue of the connection. A failure to connect may come from another
    ///   queue, and one that is known at once is delivered on the thread that requests.
    /// - **Complexity**: one allocation per command, and one per array in the reply.
    ///
    /// - Parameter arguments: The command and its arguments, of any bytes. At least one, or else it traps.
    public func command(_ arguments: Bytes...) -> AnyPublisher<RedisValue, RedisError> { command(arguments) }

    /// Sends a command for each subscriber, and publishes the reply.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of a command whose arguments are written one
    /// by one.
    public func command(_ arguments: [Bytes]) -> AnyPublisher<RedisValue, RedisError> {
        if arguments.isEmpty {
            programmerError(
                rule: "A command has a name.", found: "no arguments", remedy: "Pass the name and the arguments.")
        }
        if let problem = problem(with: arguments) {
            return Fail(error: problem).eraseToAnyPublisher()
        }
        return Publishers.emitter(RedisValue.self, failure: RedisError.self, buffering: .bounded(1, .dropNewest)) {
            emitter in
            let isSent = Once()
            emitter.onRequest { _ in
                if !isSent.isFirst() { return }
                self.send(arguments) { reply in
                    switch reply {
                    case .value(let value):
                        emitter.send(value)
                        emitter.finish()
                    case .failure(let error), .lost(let error): emitter.fail(error)
                    }
                }
            }
        }
        .eraseToAnyPublisher()
    }

    /// The largest argument that a server accepts: 512 MiB.
    static let longestArgument = 512 << 20

    /// What keeps a server from accepting a command.
    func problem(with arguments: [Bytes]) -> RedisError? {
        guard let largest = arguments.map(\.count).max(), largest > Self.longestArgument else { return nil }
        return RedisError(
            .tooLarge("an argument of \(largest) bytes; a server accepts 512 MiB"), command: arguments[0].excerpt(),
            address: description)
    }
}
