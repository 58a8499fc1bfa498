import Headgate

/// The input of the state.
struct Configuration: Sendable, CustomStringConvertible {
    var region: String
    var limit: Int
    var isVerbose: Bool

    var description: String { "\(region), limit \(limit)\(isVerbose ? ", verbose" : "")" }
}

/// The state of the service.
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

    /// Stores each state that is published.
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

    /// Returns when a number of states have been stored.
    func changed(times count: Int) async {
        if changes < count { await withCheckedContinuation { waiting.append((count, $0)) } }
    }
}
