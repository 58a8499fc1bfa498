extension Redis {
    /// Executes commands as one, for each subscriber, and publishes their replies.
    ///
    /// ```
    /// transaction   -----r|
    /// ```
    ///
    /// ```swift no-run
    /// let redis = Redis("redis://127.0.0.1")
    /// let replies = try await redis.transaction([["INCR", "orders"], ["XADD", "log", "*", "order", "7"]]).firstValue
    /// ```
    ///
    /// The server executes them one after the other, and no command of anybody else between them (`MULTI`, `EXEC`).
    /// One that fails while it is executed has an error for its reply, and the others are executed all the same; one
    /// that the server can't accept keeps all from being executed. For a command that depends on the reply to another,
    /// use a script (`EVAL`). On a cluster, all keys must be in one slot, or else it fails.
    ///
    /// - **Demand**: the commands are sent at the first request.
    /// - **Completion**: finishes right after the replies. Fails if the server does not accept one of the commands, if
    ///   no connection can be opened in ``RedisOptions/commandRetries`` attempts, and if the connection is lost before
    ///   the replies: all may have been executed, or none. After `cancel()`, commands that have been sent are executed
    ///   all the same.
    /// - **Threads**: as for a command.
    /// - **Complexity**: that of as many commands, and of two more.
    ///
    /// - Parameter commands: The commands and their arguments, at least one, or else it traps. One that
    ///   ``command(_:)-(Bytes...)`` refuses makes the transaction fail.
    public func transaction(_ commands: [[Bytes]]) -> AnyPublisher<[RedisValue], RedisError> {
        if commands.isEmpty || commands.contains(where: \.isEmpty) {
            programmerError(
                rule: "A transaction consists of commands.", found: "\(commands)",
                remedy: "Pass the name and the arguments of each.")
        }
        for arguments in commands {
            if let problem = problem(with: arguments) ?? refusal(of: arguments) {
                return Fail(error: problem).eraseToAnyPublisher()
            }
        }
        let slots = cluster == nil ? [] : Set(commands.map { HashSlot(of: $0) }.filter { $0 != .any })
        if slots.count > 1 {
            let problem = RedisError.Reason.differentSlots("the keys of the commands are in different slots")
            return Fail(error: error(problem, "MULTI")).eraseToAnyPublisher()
        }
        return answer { emitter in
            let transaction = Transaction(commands, emitter, self.description)
            self.send(transaction.parts, to: slots.first ?? .any)
        }
    }

    private func refusal(of arguments: [Bytes]) -> RedisError? {
        guard case .refused(let remedy) = CommandPlace(arguments, isCluster: cluster != nil) else { return nil }
        let name = arguments[0].excerpt()
        return error(.refused("\(name) can't be part of a transaction: \(remedy)"), name)
    }
}

/// Receives the replies to the commands of a transaction.
final class Transaction: ReplyReceiver {
    private let commands: [[Bytes]]
    private let last: Int
    private let emitter: Emitter<[RedisValue], RedisError>
    private let address: String
    private let problem = Guarded<RedisError?>(nil)

    init(_ commands: [[Bytes]], _ emitter: Emitter<[RedisValue], RedisError>, _ address: String) {
        self.commands = [["MULTI"]] + commands + [["EXEC"]]
        last = commands.count + 1
        self.emitter = emitter
        self.address = address
    }

    var parts: [Request] {
        commands.enumerated().map { number, arguments in
            Request(bytes: .command(arguments), kind: .part, receiver: self, number: number)
        }
    }

    /// Takes the reply to the last part.
    ///
    /// - Returns: Why the node of a cluster has executed none, if the same is to be sent again.
    func takeRefusal(to part: Request) -> RedisError? {
        if part.number < last { return nil }
        return problem.withLock { problem in
            guard let error = problem, error.isRedirection || error.isTemporary else { return nil }
            problem = nil
            return error
        }
    }

    func take(_ reply: Outcome, to number: Int) {
        switch reply {
        case .lost(let error): emitter.fail(error)
        case .failure(let error):
            // The first says why: the last one, that there was one.
            let first = problem.withLock { problem in
                problem = problem ?? error
                return problem ?? error
            }
            if number == last { emitter.fail(first) }
        case .value(let reply):
            if number < last { return }
            guard let replies = reply.value.elements else {
                return emitter.fail(RedisError(.unexpected("\(reply.value)"), command: "EXEC", address: address))
            }
            emitter.take(.success(replies))
        }
    }
}
