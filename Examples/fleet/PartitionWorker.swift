@preconcurrency import Glibc
import HeadgateRedis

/// One worker process that owns some of the partitions, until it is killed.
struct PartitionWorker {
    let orders: Orders
    let name: Bytes
    let count: Int

    func run() async throws {
        // Its input ends with the process that has started it, however that ends.
        let parent = File.standardInput.bytes().sink(receiveCompletion: { _ in exit(0) }, receiveValue: { _ in })
        defer { parent.cancel() }
        let partitions = orders.partitions(count)
        let watching = partitions.events.sink { event in
            switch event.what {
            case .handedOver: Task { try? await orders.count(Orders.Count.handedOver) }
            case .withoutOwner: Task { try? await orders.count(Orders.Count.takenOver) }
            default: break
            }
        }
        defer { watching.cancel() }
        let worked =
            partitions.deliveries(
                group: Orders.group, worker: name, lease: Orders.lease,
                deliveries: .atMost(Orders.mostDeliveries, then: orders.failed), retryingAfter: .milliseconds(100)
            )
            .mapError { $0 as any Error }
            // One entry of a customer at a time, and 32 in all.
            .asyncMap(maxConcurrent: 32, ordered: false) { delivery -> Delivery? in
                await work(on: delivery) ? delivery : nil
            }
            .compactMap { $0 }
            .acknowledge(batch: 32, within: .milliseconds(1))
        // Requests everything; what is under way is limited above.
        _ = try await worked.lastValue
    }

    /// Works on an entry: counts it, and whether a later one of its customer has been worked on before, by whomever.
    ///
    /// - Returns: Whether that has succeeded. If not, the delivery is not acknowledged, and the entry comes again.
    private func work(on delivery: Delivery) async -> Bool {
        guard delivery.fields["poison"] == nil, let number = delivery.fields["number"],
            let customer = delivery.fields["customer"]
        else { return false }
        let counting: Bytes = """
            local newest = tonumber(redis.call('HGET', KEYS[2], ARGV[2]) or -1)
            if tonumber(ARGV[1]) < newest then
              redis.call('HINCRBY', KEYS[3], 'out of order', 1)
            else
              redis.call('HSET', KEYS[2], ARGV[2], ARGV[1])
            end
            if redis.call('HINCRBY', KEYS[1], ARGV[1], 1) > 1 then redis.call('HINCRBY', KEYS[3], 'repeated', 1) end
            """
        let keys: [Bytes] = [Orders.done, Orders.newest, Orders.counts]
        do {
            _ = try await orders.redis.command(["EVAL", counting, "3"] + keys + [number, customer]).firstValue
            return true
        } catch {
            return false
        }
    }
}
