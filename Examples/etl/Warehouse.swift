/// The destination of orders: a stand-in for a database, which takes a moment per batch.
actor Warehouse {
    private(set) var orders = 0
    private(set) var cents = 0
    private let pause: Duration

    /// - Parameter pause: How long it takes at least to write a batch.
    init(pause: Duration) { self.pause = pause }

    /// Writes a batch.
    ///
    /// - Returns: The number of orders in it.
    func write(_ batch: [Order]) async -> Int {
        // A database would reply later.
        if pause > .zero { try? await Task.sleep(for: pause) } else { await Task.yield() }
        orders += batch.count
        cents += batch.reduce(0) { $0 + $1.cents }
        return batch.count
    }
}
