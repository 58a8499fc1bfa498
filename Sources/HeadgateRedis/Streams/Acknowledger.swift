import HeadgateCore
import HeadgateEngine

/// Collects deliveries, and acknowledges them in batches.
// Threads share only what a lock guards; the closure is called as the server replies.
@usableFromInline final class Acknowledger: @unchecked Sendable {
    /// A delivery that is to be acknowledged: its hold is kept until it is.
    @usableFromInline struct Waiting: Sendable {
        let hold: Hold

        @usableFromInline let number: Int

        @usableFromInline var id: EntryID { hold.id }
    }

    private struct State {
        var waiting: [Waiting] = []
        /// The number of batches: a time that has passed for an earlier one means nothing.
        var batches = 0
        var alarm: AnyCancellable?
    }

    private let batch: Int
    private let time: Duration
    private let deletes: Bool
    private let answer: ([Waiting]) -> Void
    private let fail: (RedisError) -> Void
    private let state = Guarded(State())

    /// - Parameters:
    ///   - answer: Publishes identifiers in the place of deliveries.
    ///   - fail: Ends the stream.
    @usableFromInline init(
        _ batch: Int, _ time: Duration, deletes: Bool, answer: @escaping ([Waiting]) -> Void,
        fail: @escaping (RedisError) -> Void
    ) {
        self.batch = batch
        self.time = time
        self.deletes = deletes
        self.answer = answer
        self.fail = fail
    }

    @usableFromInline func add(_ delivery: Delivery, number: Int) {
        let (count, batches) = state.withLock { state in
            if state.waiting.isEmpty { state.waiting.reserveCapacity(min(batch, 128)) }
            state.waiting.append(Waiting(hold: delivery.hold, number: number))
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

    @usableFromInline func flush() {
        let (waiting, alarm) = state.withLock { state in
            state.batches += 1
            return (exchange(&state.waiting, with: []), state.alarm.take())
        }
        alarm?.cancel()
        var start = 0
        // Usually one part: the deliveries of a merged stream may belong to several groups.
        while start < waiting.count {
            let holds = waiting[start].hold.holds
            var end = start + 1
            while end < waiting.count, waiting[end].hold.holds === holds { end += 1 }
            send(end - start == waiting.count ? waiting : Array(waiting[start..<end]), to: holds.group)
            start = end
        }
    }

    private func send(_ waiting: [Waiting], to group: DeliveryGroup) {
        let beginning: [Bytes] =
            deletes
            ? ["EVAL", Script.acknowledgingAndDeleting, "1", group.stream.key, group.group]
            : ["XACK", group.stream.key, group.group]
        let room = beginning.reduce(CommandWriter.roomForNumber) { $0 + CommandWriter.room(for: $1) }
        let command = Bytes.commandPart(room + waiting.count * CommandWriter.roomForID) { writer in
            writer.put(UInt8(ascii: "*"), beginning.count + waiting.count)
            for argument in beginning { writer.put(argument) }
            for waiting in waiting { writer.put(waiting.hold.id) }
        }
        let receiver = ReplyClosure { [self] reply in
            switch reply {
            case .value: answer(waiting)
            case .failure(let error), .lost(let error): fail(error)
            }
        }
        group.stream.redis.send(command, .repeated, to: receiver)
    }
}
