import Dispatch
import Headgate
import HeadgateFlow
import HeadgateTesting

/// Limits at which nothing could pass.
enum LimitMistakes {
    static func make(_ operation: Substring) {
        let numbers = [1].publisher.map { $0 }
        let scheduler = TestScheduler()
        switch operation {
        case "flatMapSequential(maxConcurrent:)": _ = numbers.flatMapSequential(maxConcurrent: 0) { Just($0) }
        case "flatMapSequential(prefetch:)":
            _ = numbers.flatMapSequential(maxConcurrent: 1, prefetch: -1) { Just($0) }
        case "batchWhileBusy(limit:)": _ = numbers.batchWhileBusy(limit: 0)
        case "onBackpressureBuffer(limit:)": _ = numbers.onBackpressureBuffer(limit: 0, whenFull: .dropNewest)
        case "record(limit:)": _ = Flow("flow").record(limit: 0)
        case "prefetch(_:)": _ = numbers.prefetch(0)
        case "prefetch(2, low: 2)": _ = numbers.prefetch(2, low: 2)
        case "prefetch(2, low: -1)": _ = numbers.prefetch(2, low: -1)
        case "receive(on:prefetch:)": _ = numbers.receive(on: scheduler, prefetch: 0)
        case "rateLimit(_:)": _ = numbers.rateLimit(0, per: 1, scheduler: scheduler)
        case "rateLimit(burst:)": _ = numbers.rateLimit(1, per: 1, burst: -3, scheduler: scheduler)
        case "rateLimit(cost:)":
            _ = numbers.rateLimit(1, per: 1, cost: { _ in -2 }, scheduler: scheduler).sink { _ in }
        case "batch(count:)": _ = numbers.batch(count: -1)
        case "sliding(_:)": _ = numbers.sliding(0)
        case "sliding(step:)": _ = numbers.sliding(2, step: 0)
        case "chunked(limit:)": _ = numbers.chunked(limit: 0) { $0 == $1 }
        case "groupBy(limit:)": _ = numbers.groupBy(limit: 0, whenFull: .drop) { $0 }
        case "groupBy(buffer:)": _ = numbers.groupBy(limit: 1, buffer: 0, whenFull: .drop) { $0 }
        case "window(count:)": _ = numbers.window(count: 0, unread: .skip)
        case "window(buffer:)": _ = numbers.window(within: 1, scheduler: scheduler, buffer: -1, unread: .skip)
        case "broadcast(to:)": _ = numbers.broadcast(to: 0)
        case "broadcast(limit:)": _ = numbers.broadcast(limit: -1)
        case "partition(limit:)": _ = numbers.partition(limit: 0) { $0 > 0 }
        case "expand(limit:)": _ = numbers.expand(limit: 0, whenFull: .skip) { Just($0) }
        case "parallel(_:)": _ = numbers.parallel(0)
        default: print("no such limit")
        }
    }
}
