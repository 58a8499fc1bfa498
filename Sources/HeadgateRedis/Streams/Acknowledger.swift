import HeadgateCore
import HeadgateEngine

/// Collects deliveries, and acknowledges them in batches.
// Threads share only what a lock guards; the closure is called as the server replies.
final class Acknowledger<Failure: Error>: @unchecked Sendable {
    private struct State {
        var waiting: [(delivery: Delivery, number: Int)] = []
        /// The number of batches: a time that has passed for an earlier one means nothing.
        var batches = 0
        var alarm: AnyCancellable?
    }

    private let batch: Int
    private let time: Duration
    private let conduit: ExchangeConduit<Delivery, EntryID, Failure>
    private let failure: StreamClosure<RedisError, Failure>
    private let state = Guarded(State())

    init(
        _ batch: Int, _ time: Duration, _ conduit: ExchangeConduit<Delivery, EntryID, Failure>,
        _ failure: @escaping StreamClosure<RedisError, Failure>
    ) {
        self.batch = batch
        self.time = time
        self.conduit = conduit
        self.failure = failure
    }

    func add(_ delivery: Delivery, number: Int) {
        let (count, batches) = state.withLock { state in
            state.waiting.append((delivery, number))
            return (state.waiting.count, state.batches)
        }
        if count >= batch {
            flush()
        } else if count == 1 {
            // Retains this: what has been received is acknowledged, whatever becomes of the stream.
            let alarm = Pipeline.alarm.after(time) {
                if self.state.withLock({ $0.batches }) == batches { self.flush() }
            }
            let isOver = state.withLock { state in
                if state.batches == batches { state.alarm = alarm }
                return state.batches != batches
            }
            if isOver { alarm.cancel() }
        }
    }

    func flush() {
        let (waiting, alarm) = state.withLock { state in
            state.batches += 1
            return (exchange(&state.waiting, with: []), state.alarm.take())
        }
        alarm?.cancel()
        var rest = waiting[...]
        // Usually one part: the deliveries of a merged stream may belong to several groups.
        while let first = rest.first {
            let count = rest.prefix { $0.delivery.hold.holds.group.isSame(as: first.delivery.hold.holds.group) }.count
            send(Array(rest.prefix(count)), to: first.delivery.hold.holds.group)
            rest = rest.dropFirst(count)
        }
    }

    private func send(_ deliveries: [(delivery: Delivery, number: Int)], to group: DeliveryGroup) {
        let command = ["XACK", group.stream.key, group.group] + deliveries.map(\.delivery.id.bytes)
        group.stream.redis.send(command, resends: true) { [self] reply in
            switch reply {
            case .value: for (delivery, number) in deliveries { conduit.answer(delivery.id, to: number) }
            case .failure(let error), .lost(let error): conduit.fail(failure(error))
            }
        }
    }
}

extension DeliveryGroup {
    fileprivate func isSame(as other: DeliveryGroup) -> Bool {
        stream.redis === other.stream.redis && stream.key == other.stream.key && group == other.group
    }
}
