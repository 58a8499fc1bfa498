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
    /// Commands share one connection with each other and with streams, and are sent without waiting for each other's
    /// replies. One that waits at the server, such as `BLPOP`, gets a connection of its own for as long as it waits;
    /// `WAIT` does not, because it is about what was sent before it. One that would change the connection for all
    /// (`SELECT`, `SUBSCRIBE`, `MULTI`, `AUTH`, `CLIENT REPLY` and similar ones) fails without being sent, and the
    /// failure says what to use instead.
    ///
    /// On a cluster, a command goes to the node of its first key, or to any if it has none; keys in different slots are a
    /// failure (``RedisError/Reason-swift.enum/differentSlots(_:)``), and `WAIT` is refused.
    ///
    /// - **Demand**: the command is sent at the first request.
    /// - **Completion**: finishes right after the reply. Fails if the server answers with an error, if no connection
    ///   can be opened in ``RedisOptions/commandRetries`` attempts, and if the connection is lost between sending and
    ///   the reply, because the server may have executed the command or not. A command that the server refuses
    ///   temporarily, for example while it loads its data, is sent again as the policy says. After `cancel()`, a
    ///   command that has been sent is executed all the same.
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
        require(
            !arguments.isEmpty, rule: "A command has a name.", found: "no arguments",
            remedy: "Pass the name and the arguments.")
        if let problem = problem(with: arguments) {
            return Fail(error: problem).eraseToAnyPublisher()
        }
        let place = CommandPlace(arguments, isCluster: cluster != nil)
        if case .refused(let remedy) = place {
            let name = arguments[0].excerpt()
            let problem = "\(name) would change the connection that streams and commands share: \(remedy)"
            return Fail(error: error(.refused(problem), name)).eraseToAnyPublisher()
        }
        return answer { emitter in
            if place == .own {
                self.wait(for: arguments, emitter)
            } else {
                self.send(arguments) { emitter.take($0) }
            }
        }
    }

    /// Sends a command that waits at the server, over a connection of its own.
    private func wait(for arguments: [Bytes], _ emitter: Emitter<RedisValue, RedisError>) {
        let command = Bytes.command(arguments)
        switch ownPipeline(at: HashSlot(ofEncoded: command)) {
        case .failure(let error): emitter.fail(error.naming(arguments[0].excerpt()))
        case .success(let pipeline):
            emitter.onCancel { pipeline.close() }
            let receiver = ReplyClosure.reading { reply in
                pipeline.close()
                emitter.take(reply)
            }
            pipeline.send(Request(bytes: command, kind: .command, blocks: nil, receiver: receiver))
        }
    }

    /// The largest argument that a server accepts: 512 MiB.
    static let longestArgument = 512 << 20

    /// What keeps a server from accepting a command.
    func problem(with arguments: [Bytes]) -> RedisError? {
        guard let largest = arguments.map(\.count).max(), largest > Self.longestArgument else { return nil }
        let problem = "an argument of \(largest) bytes; a server accepts 512 MiB"
        return error(.tooLarge(problem), arguments[0].excerpt())
    }
}

extension Emitter where Failure == RedisError {
    /// Publishes the only answer.
    @inline(__always) func take(_ answer: Result<Output, RedisError>) {
        switch answer {
        case .success(let value):
            send(value)
            finish()
        case .failure(let error): fail(error)
        }
    }
}
