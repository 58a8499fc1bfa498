/// The destination of orders: a stand-in for a database, which takes a moment per batch.
actor Warehouse {
    private(set) var orders = 0
    private(set) var cents = 0

    /// Writes a batch.
    ///
    /// - Returns: The number of orders in it.
    func write(_ batch: [Order]) async -> Int {
        // A database would reply later.
        await Task.yield()
        orders += batch.count
        cents += batch.reduce(0) { $0 + $1.cents }
        return batch.count
    }
}
