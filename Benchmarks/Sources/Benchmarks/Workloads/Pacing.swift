import Headgate
import HeadgateTesting

extension Workload {
    /// Schedulers and limits, without a clock or threads.
    static var pacing: [Workload] {
        let scheduler = ImmediateScheduler.shared
        return [
            pulled("receive-on-immediately", reach: 561) { $0.receive(on: scheduler) },
            pulled("receive-on-prefetching", reach: 613) { $0.receive(on: scheduler, prefetch: 16) },
            pulled("subscribe-on-immediately", reach: 288) { $0.subscribe(on: scheduler) },
            sent("debounce-immediately", reach: 2205) { $0.debounce(for: .zero, scheduler: scheduler) },
            sent("debounce-by-value-immediately", reach: 296) { $0.debounce(scheduler: scheduler) { _ in .zero } },
            sent("debounce-by-value-reset", reach: 328) {
                $0.debounce(scheduler: TestScheduler()) { .seconds(1 + Double($0 & 1)) }
            },
            sent("throttle-immediately", reach: 2313) { $0.throttle(for: .zero, scheduler: scheduler, latest: true) },
            pulled("delay-immediately", reach: 2291) { $0.delay(for: .zero, scheduler: scheduler) },
            pulled("delay-subscription", reach: 151) { $0.delaySubscription(for: .zero, scheduler: scheduler) },
            sent("timeout-virtual", reach: 328) { $0.timeout(.seconds(1), scheduler: TestScheduler()) },
            sent("timeout-between-virtual", reach: 274) {
                $0.setFailureType(to: StreamTimeout.self)
                    .timeout(between: .seconds(1), scheduler: TestScheduler()) { $0 }
            },
            sent("collect-by-time", reach: 589) {
                $0.collect(.byTimeOrCount(TestScheduler(), .seconds(1), 10)).map { $0.count }
            },
            pulled("rate-limit", reach: 412) { $0.rateLimit(1 << 40, per: .seconds(1), scheduler: TestScheduler()) },
            pulled("paused", reach: 191) { $0.paused(by: CurrentValueSubject<Bool, Never>(false)) },
            sent("interval", reach: 274) { $0.interval(.zero, scheduler: TestScheduler()) },
            sent("on-backpressure-buffer", reach: 224) { $0.onBackpressureBuffer(limit: 16, whenFull: .dropNewest) },
            sent("on-backpressure-drop", reach: 224) { $0.onBackpressureDrop { _ in } },
            sent("batch-while-busy", reach: 701) { $0.batchWhileBusy(limit: 16).map { $0.count } },
            pulled("chunked", reach: 280) { $0.chunked { $0 / 10 == $1 / 10 }.map { $0.count } },
            sent("sliding-within", reach: 340) {
                $0.sliding(within: .seconds(10), every: .seconds(1), limit: 16, scheduler: TestScheduler())
                    .map { $0.count }
            },
            pulled("nwise", reach: 202) { $0.nwise(2).map { $0[1] } },
        ]
    }
}
