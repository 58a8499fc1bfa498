extension Pipeline {
    /// Opens a connection, and greets the server.
    func open(_ epoch: Int) {
        let connection = ServerConnection(self, epoch)
        let isCurrent = state.withLock { state in
            if state.epoch != epoch || state.isClosed { return false }
            state.connection = connection
            return true
        }
        if !isCurrent { return }
        let found: Cluster.Found = { [weak self, weak connection] result in
            guard let self else { return }
            switch result {
            case .success(let socket):
                state.withLock { if $0.epoch == epoch { $0.node = socket } }
                connection?.open(to: socket, options)
            case .failure(let error): lose(error, epoch)
            }
        }
        switch address.place {
        case .server(let socket): connection.open(to: socket, options)
        case .master(let name, let sentinels):
            let search = ServerSearch(.master(name, address), at: sentinels, options, found)
            connection.keep(AnyCancellable { search.stop() })
            search.start()
        case .cluster: findNode(found)
        }
    }

    /// Says hello in the newer protocol, with the login.
    func begin(_ epoch: Int) {
        state.withLock { if $0.epoch == epoch { $0.phase = .greeting } }
        var hello: [Bytes] = ["HELLO", "3"]
        if let password = address.password { hello += ["AUTH", Bytes(address.user ?? "default"), Bytes(password)] }
        hello += ["SETNAME", Bytes(name)]
        makeRequest(hello, epoch) { pipeline, reply in
            switch reply {
            case .success(let facts):
                pipeline.identify(facts, epoch)
                pipeline.select(epoch)
            case .failure(let error) where error.knowsNoHello: pipeline.logIn(epoch)
            case .failure(let error): pipeline.lose(error, epoch)
            }
        }
    }

    /// Logs in at a server that speaks the older protocol only.
    private func logIn(_ epoch: Int) {
        state.withLock { if $0.epoch == epoch { $0.version = ServerVersion.beforeHello } }
        guard let password = address.password else { return select(epoch) }
        let login = ["AUTH"] + (address.user.map { [Bytes($0)] } ?? []) + [Bytes(password)]
        require(login, epoch) { pipeline, _ in pipeline.select(epoch) }
    }

    private func select(_ epoch: Int) {
        if address.database == 0 { return prepare(epoch) }
        require(["SELECT", Bytes("\(address.database)")], epoch) { pipeline, _ in pipeline.prepare(epoch) }
    }

    private func prepare(_ epoch: Int) {
        if preparing.isEmpty { return checkRole(epoch) }
        require(preparing, epoch) { pipeline, _ in pipeline.checkRole(epoch) }
    }

    /// Asks the server whether it is the master yet, or still, that the sentinels say it is.
    private func checkRole(_ epoch: Int) {
        guard case .master = address.place else { return endFormer(epoch) }
        require(["ROLE"], epoch) { pipeline, facts in
            if let role = facts.elements?.first?.text, role != "master" {
                return pipeline.lose(pipeline.error(.noMaster("the server says that it is a \(role)")), epoch)
            }
            pipeline.endFormer(epoch)
        }
    }

    private func identify(_ facts: RedisValue, _ epoch: Int) {
        let facts = facts.elements ?? []
        func fact(_ name: Bytes) -> RedisValue? {
            facts.firstIndex { $0.bytes == name }.flatMap { $0 + 1 < facts.count ? facts[$0 + 1] : nil }
        }
        let (identity, version) = (fact("id")?.integer, fact("version")?.text)
        state.withLock { state in
            if state.epoch != epoch { return }
            state.identity = identity ?? state.identity
            state.version = version
        }
    }

    /// Ends the connection that was lost at the server, too.
    ///
    /// What it has yet to read there would otherwise be executed after what is sent again here, out of order, and a read
    /// that waits there would take entries that no subscriber receives.
    private func endFormer(_ epoch: Int) {
        guard let former = state.withLock({ $0.former }) else { return probe(epoch) }
        let identity = Bytes("\(former)")
        // A server that has been started again may have given the number to another client. One that refuses to tell, or
        // to end a connection, is used all the same: what is pending there is taken over in time.
        makeRequest(["CLIENT", "LIST", "ID", identity], epoch) { pipeline, reply in
            guard case .success(let value) = reply, value.text?.contains(" name=\(pipeline.name) ") == true else {
                return pipeline.probe(epoch)
            }
            pipeline.makeRequest(["CLIENT", "KILL", "ID", identity], epoch) { pipeline, _ in
                pipeline.probe(epoch)
            }
        }
    }

    /// Finds out whether the server accepts commands yet.
    ///
    /// One that is loading its data may refuse the first of many commands and, having finished, execute the next: what
    /// was refused could no longer be added in its place.
    private func probe(_ epoch: Int) {
        makeRequest(["PING"], epoch) { pipeline, reply in
            // A user who may not use this command can use others.
            if case .failure(let error) = reply, error.isTemporary { return pipeline.lose(error, epoch) }
            pipeline.becomeOpen(epoch)
        }
    }

    /// Sends a command without which the connection is of no use.
    private func require(
        _ arguments: [Bytes], _ epoch: Int, _ next: @escaping @Sendable (Pipeline, RedisValue) -> Void
    ) {
        makeRequest(arguments, epoch) { pipeline, reply in
            switch reply {
            case .success(let value): next(pipeline, value)
            case .failure(let error): pipeline.lose(error, epoch)
            }
        }
    }

    private func makeRequest(
        _ arguments: [Bytes], _ epoch: Int, _ body: @escaping @Sendable (Pipeline, Reply) -> Void
    ) {
        let receiver = ReplyClosure.reading { [weak self] reply in if let self { body(self, reply) } }
        greet(Request(bytes: .command(arguments), kind: .step, receiver: receiver), epoch)
    }
}

extension Pipeline.State {
    /// Whether commands have been sent on the connection.
    var isOpen: Bool {
        switch phase {
        case .open, .draining: true
        case .idle, .opening, .greeting, .pausing: false
        }
    }

    /// The state without a connection, and without anything to send.
    var next: Pipeline.State { Pipeline.State(epoch: epoch + 1, schedule: schedule, users: users) }
}

extension RedisError {
    /// Whether the server speaks the older protocol only.
    fileprivate var knowsNoHello: Bool {
        guard case .server(let words) = reason else { return false }
        return code == "NOPROTO" || words.lowercased().hasPrefix("err unknown command")
    }
}
