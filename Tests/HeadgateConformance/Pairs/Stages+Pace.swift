import Headgate
import HeadgateTesting
import HeadgateVerification

// Operators that buffer, share, group, or use time.
extension Stage {
    static var buffering: Family<Stage> {
        Family(
            "Buffering",
            [
                .stage(
                    "buffer(.keepFull)", { up, _ in up.buffer(size: 2, prefetch: .keepFull, whenFull: .dropNewest) },
                    [.requestsFirst, .limits]
                ) { $0 },
                .stage(
                    "buffer(.byRequest)", { up, _ in up.buffer(size: 2, prefetch: .byRequest, whenFull: .dropNewest) },
                    .absorbs
                ) { $0 },
                .stage(
                    "buffer(.byRequest, .dropOldest)",
                    { up, _ in up.buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest) }, .absorbs
                ) { $0 },
                .stage("prefetch(4)", { up, _ in up.prefetch(4) }, [.requestsFirst, .limits]) { $0 },
                .stage("prefetch(3, low: 2)", { up, _ in up.prefetch(3, low: 2) }, [.requestsFirst, .limits]) { $0 },
                .stage("paused(by:)", { up, _ in up.paused(by: CurrentValueSubject(false)) }, .limits) { $0 },
                .stage("conflate", { up, _ in up.conflate() }, .absorbs) { $0 },
                .stage("conflate(into:)", { up, _ in up.conflate(into: { $0 }, { $0 &+= $1 }) }, .absorbs) { $0 },
                .stage(
                    "batchWhileBusy(limit: 3)", { up, _ in up.batchWhileBusy(limit: 3).map(\.number) },
                    [.paced, .limits, .requestsFirst]
                ) {
                    $0.map { [$0].number }
                },
                .stage("onBackpressureDrop", { up, _ in up.onBackpressureDrop { _ in } }, .absorbs) { $0 },
                .stage(
                    "onBackpressureBuffer", { up, _ in up.onBackpressureBuffer(limit: 2, whenFull: .dropNewest) },
                    .absorbs
                ) { $0 },
            ])
    }

    static var sharing: Family<Stage> {
        Family(
            "Sharing",
            [
                .stage("share", { up, _ in up.share() }, .shares) { $0.shared() },
                .stage("shareUntilFailure", { up, _ in up.shareUntilFailure() }, .shares) {
                    $0.shared(failures: false)
                },
                .stage("shareReplay(capacity: 2)", { up, _ in up.shareReplay(capacity: 2) }, .shares) {
                    $0.shared(replaying: 2)
                },
                .stage("share(replay: 2)", { up, _ in up.share(replay: 2) }, [.shares, .requestsFirst]) {
                    $0.shared(replaying: 2, isKept: true)
                },
                .stage(
                    "multicast.autoconnect", { up, _ in up.multicast { PassthroughSubject() }.autoconnect() }, .shares
                ) { $0.shared() },
                .stage(
                    "multicast(subject:).autoconnect",
                    { up, _ in up.multicast(subject: PassthroughSubject()).autoconnect() }, .shares
                ) { $0.shared() },
                .stage(
                    "makeConnectable.autoconnect", { up, _ in up.ignoreFailure().makeConnectable().autoconnect() },
                    .shares
                ) {
                    $0.recover { _ in .list([]) }.shared()
                },
                .stage("broadcast", { up, _ in up.broadcast() }, .limits) { $0.shared() },
                .stage("partition", { up, _ in up.partition { $0 < 100 }.matches }, .limits) {
                    $0.shared().filter { $0 < 100 }
                },
                .stage("cached(for:)", { up, time in up.cached(for: 5, scheduler: time) }, .shares) {
                    $0.shared(replaying: .max, failures: false)
                },
            ])
    }

    static var grouping: Family<Stage> {
        Family(
            "Grouping",
            [
                .stage("pairwise", { up, _ in up.pairwise().map { [$0.0, $0.1].number } }) { $0.sliding(2) },
                .stage("nwise(3)", { up, _ in up.nwise(3).map(\.number) }) { $0.sliding(3) },
                .stage("sliding(3)", { up, _ in up.sliding(3).map(\.number) }) { $0.sliding(3) },
                .stage("chunked(by:)", { up, _ in up.chunked { $1 % 3 != 0 }.map(\.number) }) {
                    $0.runs { $1 % 3 != 0 }
                },
                .stage(
                    "groupBy.flatMap", { up, _ in up.groupBy(limit: 3, whenFull: .drop) { $0 & 1 }.flatMap { $0 } },
                    [.paced, .limits, .requestsFirst]
                ) { $0 },
                // What waits in a group that is left early is that of the next one.
                .stage(
                    "groupBy.flatMap(prefix: 1)",
                    { up, _ in up.groupBy(limit: 3, whenFull: .drop) { _ in 0 }.flatMap { $0.prefix(1) } },
                    [.limits, .requestsFirst, .failsAtOnce]
                ) { $0 },
                .stage(
                    "window(count: 3).flatMap", { up, _ in up.window(count: 3, unread: .skip).flatMap { $0 } },
                    [.paced, .limits, .requestsFirst, .requestsAll]
                ) { $0 },
                .stage(
                    "window(count: 3).concatMap", { up, _ in up.window(count: 3, unread: .hold).concatMap { $0 } },
                    [.limits, .requestsFirst]
                ) { $0.failingEarly },
                .stage("batch(count: 3)", { up, _ in up.batch(count: 3).map(\.number) }) {
                    $0.chunks(restBeforeFailure: true) { $0.count == 3 }
                },
                .stage(
                    "parallel.sequential",
                    { up, time in
                        up.parallel(2).run(on: ImmediateScheduler.shared).map { $0 }.sequential(ordered: true)
                    }, [.limits, .requestsFirst, .failsAtOnce]
                ) { $0 },
            ])
    }

    static var scheduling: Family<Stage> {
        Family(
            "Scheduling",
            [
                .stage("receive(on:)", { up, time in up.receive(on: time) }, .takesTime) { $0.delay(1) },
                .stage(
                    "subscribe(on:)", { up, time in up.subscribe(on: time) }, [.requestsLater, .cancelsLater]
                ) { $0.begin(after: 1) },
                .stage("receive(on:), at once", { up, _ in up.receive(on: ImmediateScheduler.shared) }) { $0 },
                .stage(
                    "subscribe(on:), at once", { up, _ in up.subscribe(on: ImmediateScheduler.shared) }, .cancelsLater
                ) { $0 },
                .stage(
                    "receive(on:prefetch:)", { up, time in up.receive(on: time, prefetch: 4) },
                    [.requestsFirst, .limits, .takesTime]
                ) { $0.delay(1) },
            ])
    }

    static var timing: Family<Stage> {
        Family(
            "Timing",
            [
                .stage("delay(for:)", { up, time in up.delay(for: 2, scheduler: time) }, .takesTime) {
                    $0.delay(2 * Flow.second)
                },
                .stage("delay(for:), at once", { up, _ in up.delay(for: 2, scheduler: ImmediateScheduler.shared) }) {
                    $0
                },
                .stage("debounce(for:)", { up, time in up.debounce(for: 2, scheduler: time) }, .absorbs) {
                    $0.debounce(2 * Flow.second)
                },
                .stage(
                    "debounce(scheduler:_:)", { up, time in up.debounce(scheduler: time) { .seconds(1 + ($0 & 1)) } },
                    .absorbs
                ) {
                    $0.debounce { (1 + ($0 & 1)) * Flow.second }
                },
                .stage(
                    "sliding(within:every:)",
                    { up, time in up.sliding(within: 5, every: 3, limit: 100, scheduler: time).map(\.number) }, .absorbs
                ) {
                    $0.sliding(within: 5 * Flow.second, every: 3 * Flow.second)
                },
                .stage(
                    "throttle(for:), at once",
                    { up, _ in up.throttle(for: 2, scheduler: ImmediateScheduler.shared, latest: true) },
                    .absorbs
                ) { $0 },
                .stage("timeout", { up, time in up.timeout(200, scheduler: time) }, .takesTime) {
                    $0.delay(1)
                },
                .stage(
                    "rateLimit(2, per:), at once",
                    { up, _ in up.rateLimit(2, per: 2, scheduler: ImmediateScheduler.shared) },
                    [.limits, .takesAllUnlessItAnswers]
                ) { $0 },
                .stage("prefix(duration:)", { up, time in up.prefix(duration: 500, on: time) }) {
                    $0
                },
            ])
    }
}

extension Stage.Traits {
    /// Requests everything as soon as anything is requested, and drops what is sent without demand.
    fileprivate static let shares: Stage.Traits = [.paced, .requestsAll, .sendsByItself]

    /// Requests everything at once, and drops or combines what is sent without demand.
    static let absorbs: Stage.Traits = [.paced, .requestsAll, .requestsFirst]
}

extension Flow {
    /// The last `count` values, once there are as many.
    fileprivate func sliding(_ count: Int) -> Flow {
        scan([Int]()) { recent, value in
            recent = (recent + [value]).suffix(count)
            return recent.count == count ? [.value(recent.number)] : []
        }
    }

    /// Runs of values that belong together.
    fileprivate func runs(_ belong: @escaping (Int, Int) -> Bool) -> Flow {
        step([Int]()) { run, event in
            switch event {
            case .value(let value):
                if let last = run.last, !belong(last, value) {
                    defer { run = [value] }
                    return [.value(run.number)]
                }
                run.append(value)
                return []
            case .finished: return (run.isEmpty ? [] : [.value(run.number)]) + [.finished]
            case .failed: return [.failed]
            }
        }
    }
}
