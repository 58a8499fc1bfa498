/// A directory of endpoints: a stand-in for a server, which responds when the script says so.
actor Directory {
    private var lookups: [Int: CheckedContinuation<Void, Never>] = [:]
    private var expected: [(number: Int, task: CheckedContinuation<Void, Never>)] = []
    private var count = 0
    private(set) var cancelled = 0

    /// Looks up the endpoints of a region.
    func endpoints(for configuration: Configuration) async -> [String] {
        count += 1
        let number = count
        print("load \(number): \(configuration)")
        await withCheckedContinuation { task in
            lookups[number] = task
            for waiter in expected where waiter.number == number { waiter.task.resume() }
            expected.removeAll { $0.number == number }
        }
        if Task.isCancelled {
            cancelled += 1
            print("load \(number): overtaken")
        }
        return (1...configuration.limit).map { "\(configuration.region)-\($0)" }
    }

    /// Returns when a look-up has begun.
    func begun(_ number: Int) async {
        if lookups[number] == nil { await withCheckedContinuation { expected.append((number, $0)) } }
    }

    /// Completes a look-up.
    func answer(_ number: Int) { lookups.removeValue(forKey: number)?.resume() }
}
