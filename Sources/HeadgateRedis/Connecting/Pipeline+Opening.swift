@preconcurrency import Dispatch
import HeadgateCore

extension Pipeline {
    /// Opens a connection, and greets the server.
    func open(_ epoch: Int) {
        let line = Line(self, epoch)
        let isCurrent = state.withLock { state in
            if state.epoch != epoch || state.isClosed { return false }
            state.line = line
            return true
        }
        if isCurrent { line.open(to: address.socket, options) }
    }

    /// Says hello in the newer protocol, with the login.
    func begin(_ epoch: Int) {
        state.withLock { if $0.epoch == epoch { $0.phase = .greeting } }
        var hello: [Bytes] = ["HELLO", "3"]
        if let password = address.password { hello += ["AUTH", Bytes(address.user ?? "default"), Bytes(password)] }
        ask("HELLO", hello, epoch) { pipeline, reply in
            if case .failure(let error) = reply, error.knowsNoHello {
                pipeline.logIn(epoch)
            } else {
                pipeline.proceed(after: reply, epoch) { pipeline.select(epoch) }
            }
        }
    }

    /// Logs in at a server that speaks the older protocol only.
    private func logIn(_ epoch: Int) {
        guard let password = address.password else { return select(epoch) }
        let login = ["AUTH"] + (address.user.map { [Bytes($0)] } ?? []) + [Bytes(password)]
        ask("AUTH", login, epoch) { pipeline, reply in
            pipeline.proceed(after: reply, epoch) { pipeline.select(epoch) }
        }
    }

    private func select(_ epoch: Int) {
        if address.database == 0 { return becomeOpen(epoch) }
        ask("SELECT", ["SELECT", Bytes("\(address.database)")], epoch) { pipeline, reply in
            pipeline.proceed(after: reply, epoch) { pipeline.becomeOpen(epoch) }
        }
    }

    private func proceed(after reply: Reply, _ epoch: Int, _ next: () -> Void) {
        switch reply {
        case .value: next()
        case .failure(let error), .lost(let error): lose(error, epoch)
        }
    }

    private func ask(
        _ name: String, _ arguments: [Bytes], _ epoch: Int, _ body: @escaping @Sendable (Pipeline, Reply) -> Void
    ) {
        let receiver = ReplyClosure { [weak self] reply in if let self { body(self, reply) } }
        greet(Request(bytes: .command(arguments), name: name, receiver: receiver), epoch)
    }
}

extension RedisError {
    /// Whether the server speaks the older protocol only.
    fileprivate var knowsNoHello: Bool {
        guard case .server(let words) = reason else { return false }
        return code == "NOPROTO" || words.lowercased().hasPrefix("err unknown command")
    }
}
