/// Collects deliveries, and acknowledges them in batches.
// Threads share only what a lock guards; the closure is called as the server replies.
@usableFromInline final class Acknowledger: @unchecked Sendable {
    /// A delivery that is to be acknowledged: its hold is kept until it is.
    @usableFromInline struct Waiting: Sendable {
        let hold: any Hold

        @usableFromInline let number: Int

        @usableFromInline var id: EntryID { hold.id }
    }

    private let batch: Int
    private let time: Duration
    private let deletes: Bool
    private let answer: ([Waiting]) -> Void
    private let skip: ([Waiting]) -> Void
    private let fail: (RedisError) -> Void
    private let waiting = Guarded<[Waiting]>([])
    private let alarm = AlarmSlot()

    /// - Parameters:
    ///   - answer: Publishes identifiers in the place of deliveries.
    ///   - skip: Publishes nothing for them.
    ///   - fail: Ends the stream.
    @usableFromInline init(
        _ batch: Int, _ time: Duration, deletes: Bool, answer: @escaping ([Waiting]) -> Void,
        skip: @escaping ([Waiting]) -> Void, fail: @escaping (RedisError) -> Void
    ) {
        self.batch = batch
        self.time = time
        self.deletes = deletes
        self.answer = answer
        self.skip = skip
        self.fail = fail
    }

    @usableFromInline func add(_ delivery: Delivery, number: Int) {
        let count = waiting.withLock { waiting in
            if waiting.isEmpty { waiting.reserveCapacity(min(batch, 128)) }
            waiting.append(Waiting(hold: delivery.hold, number: number))
            return waiting.count
        }
        if count >= batch {
            flush()
        } else if count == 1 {
            // Retains this: what has been received is acknowledged, whatever becomes of the stream. If another thread
            // has flushed the batch by now, this finds nothing, or the alarm of the next batch takes its place.
            alarm.set(after: time) { self.flush() }
        }
    }

    @usableFromInline func flush() {
        // First: after it, the alarm may be that of the next batch.
        alarm.cancel()
        let waiting = waiting.withLock { exchange(&$0, with: []) }
        var start = 0
        // Usually one part: the deliveries of a merged stream may belong to several groups.
        while start < waiting.count {
            let target = waiting[start].hold.target
            var end = start + 1
            while end < waiting.count, waiting[end].hold.belongs(to: target) { end += 1 }
            let part = end - start == waiting.count ? waiting : Array(waiting[start..<end])
            target.acknowledge(part, deleting: deletes) { [self] outcome in
                switch outcome {
                case .success(let (done, refused)):
                    if !refused.isEmpty { skip(refused) }
                    answer(done)
                case .failure(let error): fail(error)
                }
            }
            start = end
        }
    }
}

/// What became of an acknowledgement; where another owns a partition, it has been refused.
typealias Acknowledgement = Result<(done: [Acknowledger.Waiting], refused: [Acknowledger.Waiting]), RedisError>

/// Acknowledges what it has delivered.
protocol AcknowledgementTarget: AnyObject, Sendable {
    func acknowledge(
        _ waiting: [Acknowledger.Waiting], deleting: Bool, _ receive: @escaping @Sendable (Acknowledgement) -> Void)
}

extension Holds: AcknowledgementTarget {
    func acknowledge(
        _ waiting: [Acknowledger.Waiting], deleting: Bool, _ receive: @escaping @Sendable (Acknowledgement) -> Void
    ) {
        let group = table.group
        let beginning: [Bytes] =
            deleting
            ? Script.acknowledgingAndDeleting.run([group.stream.key], [group.group])
            : ["XACK", group.stream.key, group.group]
        let room = beginning.reduce(CommandWriter.roomForNumber) { $0 + CommandWriter.room(for: $1) }
        let command = Bytes.commandPart(room + waiting.count * CommandWriter.roomForID) { writer in
            writer.put(UInt8(ascii: "*"), beginning.count + waiting.count)
            for argument in beginning { writer.put(argument) }
            for waiting in waiting { writer.put(waiting.hold.id) }
        }
        // Retains the holds until the reply.
        let receiver = ReplyClosure { reply in
            withExtendedLifetime(waiting) {}
            switch reply {
            case .value: receive(.success((waiting, [])))
            case .failure(let error), .lost(let error): receive(.failure(error))
            }
        }
        group.stream.redis.send(command, .repeated, to: receiver)
    }
}
