@preconcurrency import Glibc
import HeadgateRedis
import Synchronization

/// One worker process: works on what the group delivers, until it is killed.
struct Worker {
    let orders: Orders
    let name: Bytes

    func run() async throws {
        // Its input ends with the process that has started it, however that ends.
        let parent = File.standardInput.bytes().sink(receiveCompletion: { _ in exit(0) }, receiveValue: { _ in })
        defer { parent.cancel() }
        let deliveries = orders.stream.deliveries(
            group: Orders.group, consumer: name, takeOverAfter: Orders.takeOverAfter,
            deliveries: .atMost(Orders.mostDeliveries, then: orders.failed))
        let order = Order()
        // A new master may not know yet what the group had received, and then delivers that anew.
        let losing = orders.redis.events.sink { if case .lost = $0 { order.beginAgain() } }
        defer { losing.cancel() }
        let worked =
            deliveries
            .handleEvents(receiveOutput: { delivery in
                if !order.admits(delivery) { Task { try? await orders.count(Orders.Count.outOfOrder) } }
            })
            .mapError { $0 as any Error }
            // Entries of one customer in their order, and 32 at a time.
            .asyncMap(maxConcurrent: 32, by: { $0.fields["customer"] }) { delivery -> Delivery? in
                await work(on: delivery) ? delivery : nil
            }
            .compactMap { $0 }
            .acknowledge(batch: 32)
        // Requests everything; what is under way is limited above.
        _ = try await worked.lastValue
    }

    /// Works on an entry: counts it.
    ///
    /// - Returns: Whether that has succeeded. If not, the delivery is not acknowledged, and the entry comes again.
    private func work(on delivery: Delivery) async -> Bool {
        do {
            if let owner = delivery.takenFrom, owner != name { try await orders.count(Orders.Count.takenOver) }
            if delivery.fields["poison"] != nil { return false }
            guard let number = delivery.fields["number"] else { return false }
            let times = try await orders.record("HINCRBY", Orders.done, number, "1").integer ?? 0
            if times > 1 { try await orders.count(Orders.Count.repeated) }
            if times > 1, delivery.count == 1 { try await orders.count(Orders.Count.anew) }
            return true
        } catch {
            return false
        }
    }
}

/// Tells whether new entries come in the order of the stream; those that were pending come in between.
private final class Order: Sendable {
    private let newest = Mutex(EntryID(0))

    func beginAgain() { newest.withLock { $0 = EntryID(0) } }

    func admits(_ delivery: Delivery) -> Bool {
        if delivery.count > 1 { return true }
        return newest.withLock { newest in
            defer { newest = delivery.id }
            return delivery.id > newest
        }
    }
}
