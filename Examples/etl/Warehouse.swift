/// Where orders are written to: a stand-in for a database, which takes a moment for each batch.
actor Warehouse {
    private(set) var orders = 0
    private(set) var cents = 0

    /// Writes a batch.
    ///
    /// - Returns: How many orders it contained.
    func write(_ batch: [Order]) async -> Int {
        // A database would answer later.
        await Task.yield()
        orders += batch.count
        cents += batch.reduce(0) { $0 + $1.cents }
        return batch.count
    }
}
