@preconcurrency import Glibc
import HeadgateRedis

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
        let worked =
            deliveries
            .mapError { $0 as any Error }
            // Entries of one customer in their order, and 32 at a time.
            .asyncMap(maxConcurrent: 32, by: { $0.fields["customer"] }) { delivery -> Delivery? in
                await work(on: delivery) ? delivery : nil
            }
            .compactMap { $0 }
            .acknowledge()
        // Requests everything; what is under way is limited above.
        _ = try await worked.lastValue
    }

    /// Works on an entry: counts it.
    ///
    /// - Returns: Whether that has succeeded. If not, the delivery is not acknowledged, and the entry comes again.
    private func work(on delivery: Delivery) async -> Bool {
        do {
            if delivery.count > 1 {
                let kind: Bytes = delivery.takenFrom == name ? "repeated" : "taken over"
                _ = try await orders.ask("HINCRBY", Orders.counts, kind, "1")
            }
            if delivery.fields["poison"] != nil { return false }
            guard let number = delivery.fields["number"] else { return false }
            _ = try await orders.ask("HINCRBY", Orders.done, number, "1")
            return true
        } catch {
            return false
        }
    }
}
