import Headgate

/// What the state is made from.
struct Configuration: Sendable, CustomStringConvertible {
    var region: String
    var limit: Int
    var isVerbose: Bool

    var description: String { "\(region), limit \(limit)\(isVerbose ? ", verbose" : "")" }
}

/// What the service knows.
struct State: Sendable {
    var configuration: Configuration
    var endpoints: [String]
}

/// Keeps the state, one change at a time.
actor Store {
    private(set) var state: State?
    private var listeners: Set<AnyCancellable> = []
    private var waiting: [(count: Int, task: CheckedContinuation<Void, Never>)] = []
    private var changes = 0

    /// Takes over each state that is published.
    func follow(_ states: some Publisher<State, Never>) {
        states.sink(on: self) { store, state in store.take(state) }.store(in: &listeners)
    }

    private func take(_ state: State) {
        self.state = state
        changes += 1
        print("store: \(state.configuration): \(state.endpoints.joined(separator: " "))")
        for waiter in waiting where waiter.count <= changes { waiter.task.resume() }
        waiting.removeAll { $0.count <= changes }
    }

    /// Returns when so many states have been taken over.
    func changed(times count: Int) async {
        if changes < count { await withCheckedContinuation { waiting.append((count, $0)) } }
    }
}
