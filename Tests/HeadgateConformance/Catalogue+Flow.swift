import Headgate
import HeadgateTesting
import HeadgateVerification

/// Operators beyond Combine's for flattening, combining, flow control and grouping.
extension Candidate {
    static var flatteningFurther: Family<Candidate> {
        Family(
            "Flattening further",
            [
                .step("concatMap") { $0.concatMap { numbers($0 % 5) } },
                .step("concatMap to Just") { $0.concatMap { Just($0) } },
                .step("flatMapLatest", [.endsWithUpstream, .dropsUnasked]) { $0.flatMapLatest { numbers($0 % 4) } },
                .step("flatMapFirst", [.endsWithUpstream, .dropsUnasked]) { $0.flatMapFirst { numbers($0 % 4) } },
                .step("flatMapFirst(onDrop:)", [.endsWithUpstream, .dropsUnasked]) {
                    $0.flatMapFirst(onDrop: { _ in }) { numbers($0 % 4) }
                },
                .step("flatMapDelayingFailures", [.endsWithUpstream, .merges]) {
                    $0.flatMapDelayingFailures(maxPublishers: .max(2)) { number in
                        number < 9 ? numbers(2) : Fail(error: .upstreamFailed).eraseToAnyPublisher()
                    }
                },
                .step("flatMapSequential(maxConcurrent: 1)") {
                    $0.flatMapSequential(maxConcurrent: 1) { numbers($0 % 5) }
                },
                .step("flatMapSequential(maxConcurrent: 3)") {
                    $0.flatMapSequential(maxConcurrent: 3, prefetch: 2) { numbers($0 % 5) }
                },
                .step("flatMapSequential to failures") {
                    $0.flatMapSequential(maxConcurrent: 2) { number in
                        number < 9 ? numbers(1) : Fail(error: .upstreamFailed).eraseToAnyPublisher()
                    }
                },
                .timedStep("parallel(2).sequential(ordered: true)") { upstream, scheduler in
                    upstream.parallel(2).run(on: scheduler).map { $0 }.sequential(ordered: true)
                },
                .timedStep("parallel(2).sequential(ordered: false)", [.endsWithUpstream, .merges]) {
                    upstream, scheduler in
                    upstream.parallel(2).run(on: scheduler).map { $0 }.sequential(ordered: false)
                },
                .timedStep("parallel(2).flatMap") { upstream, scheduler in
                    upstream.parallel(2).run(on: scheduler).flatMap { numbers($0 % 3) }.sequential(ordered: true)
                },
                .step("parallel(2) without a scheduler", [.endsWithUpstream, .transparent]) {
                    $0.parallel(2).map { $0 }.sequential(ordered: true)
                },
                .timedStep("flatMapSequential to delayed") { upstream, scheduler in
                    upstream.flatMapSequential(maxConcurrent: 2) {
                        numbers($0 % 3).delay(for: .seconds($0 % 2), scheduler: scheduler)
                    }
                },
            ])
    }

    static var combiningFurther: Family<Candidate> {
        Family(
            "Combining further",
            [
                .join("withLatestFrom(b)", 2, .gathers) { $0[0].withLatestFrom($0[1]) { ($0, $1) } },
                .join("withLatestFrom(b, c)", 3, .gathers) { $0[0].withLatestFrom($0[1], $0[2]) },
                .join("withLatestFrom(b, c, d)", 4, .gathers) { $0[0].withLatestFrom($0[1], $0[2], $0[3]) },
                .join("sample(on: b)", 2, .gathers) { $0[0].sample(on: $0[1]) },
                .join("amb(b)", 2, .gathers) { $0[0].amb($0[1]) },
                .join("amb(with: b, c)", 3, .gathers) { $0[0].amb(with: $0[1], $0[2]) },
                .join("[a, b, c].amb()", 3, .gathers) { Publishers.AmbMany($0) },
                .join("firstWithValue(b)", 2, .gathers) { $0[0].firstWithValue($0[1]) },
                .join("[a, b, c].firstWithValue()", 3, .gathers) { $0.firstWithValue() },
                .join("mergeDelayingFailures(with: b)", 2, [.endsWithUpstream, .merges]) {
                    $0[0].mergeDelayingFailures(with: $0[1])
                },
                .join("[a, b, c].mergeDelayingFailures()", 3, [.endsWithUpstream, .merges]) {
                    $0.mergeDelayingFailures()
                },
                .join("[a, b, c].merge()", 3, [.endsWithUpstream, .merges]) { $0.merge() },
                .join("[a, b, c].mergeSorted(by:)", 3, .gathers) { Publishers.MergeSorted($0, by: <) },
                .join("[a, b, c].zip()", 3) { Publishers.ZipMany($0) },
                .join("zip(with: b)", 2) { $0[0].zip(with: $0[1]) },
                .join("[a, b, c].combineLatest()", 3, .gathers) { Publishers.CombineLatestMany($0) },
                .join("combineLatest(with: b)", 2, .gathers) { $0[0].combineLatest(with: $0[1]) },
            ])
    }

    static var controllingFlow: Family<Candidate> {
        let drops: Capabilities = [.endsWithUpstream, .dropsUnasked]
        return Family(
            "Controlling flow",
            [
                .step("conflate", drops) { $0.conflate() },
                .step("conflate(into:)", .gathers) { $0.conflate(into: { [$0] }, { $0.append($1) }) },
                .step("batchWhileBusy(limit: 3)", .gathers) { $0.batchWhileBusy(limit: 3) },
                .step("onBackpressureDrop", drops) { $0.onBackpressureDrop { _ in } },
                .step("onBackpressureBuffer(.dropNewest)", drops) {
                    $0.onBackpressureBuffer(limit: 2, whenFull: .dropNewest)
                },
                .step("onBackpressureBuffer(.dropOldest)", drops) {
                    $0.onBackpressureBuffer(limit: 2, whenFull: .dropOldest) { _ in }
                },
                .step("onBackpressureBuffer(.customError)", drops) {
                    $0.onBackpressureBuffer(limit: 2, whenFull: .customError { .upstreamFailed })
                },
                .timedStep("onBackpressureBuffer(expiry:)", drops) {
                    $0.onBackpressureBuffer(limit: 3, whenFull: .dropOldest, expiry: 2, scheduler: $1)
                },
                .step("paused(by:)") { $0.paused(by: CurrentValueSubject<Bool, Never>(false)) },
                .step("prefetch(4)") { $0.prefetch(4) },
                .step("prefetch(3, low: 2)") { $0.prefetch(3, low: 2) },
                .timedStep("receive(on:prefetch:)") { $0.receive(on: $1, prefetch: 4) },
                .timedStep("rateLimit(2, per:)") { $0.rateLimit(2, per: 2, scheduler: $1) },
                .timedStep("rateLimit(cost:)") { $0.rateLimit(3, per: 2, burst: 4, cost: { $0 % 3 }, scheduler: $1) },
                .step("rateLimit(2, per:), at once") { $0.rateLimit(2, per: 2, scheduler: ImmediateScheduler.shared) },
                .timedStep("interval") { $0.interval(2, scheduler: $1) },
            ])
    }

    static var grouping: Family<Candidate> {
        Family(
            "Grouping",
            [
                .timedStep("sliding(within:every:)", .gathers) {
                    $0.sliding(within: 4, every: 3, limit: 5, scheduler: $1)
                },
                .step("pairwise", [.endsWithUpstream, .transparent, .leavesValuesOut]) { $0.pairwise() },
                .step("nwise(3)", [.endsWithUpstream, .transparent, .leavesValuesOut]) { $0.nwise(3) },
                .step("sliding(3)", [.endsWithUpstream, .transparent, .leavesValuesOut]) { $0.sliding(3) },
                .step("sliding(3, step: 2)", [.endsWithUpstream, .transparent, .leavesValuesOut]) {
                    $0.sliding(3, step: 2)
                },
                .step("sliding(2, step: 4)", [.endsWithUpstream, .transparent, .leavesValuesOut]) {
                    $0.sliding(2, step: 4)
                },
                .step("chunked(by:)") { $0.chunked { $1 % 3 != 0 } },
                .step("chunked(limit: 2, on:)") { $0.chunked(limit: 2) { $0 / 4 } },
                .step("groupBy.flatMap", .gathers) {
                    $0.groupBy(limit: 3, whenFull: .drop) { $0 % 3 }.flatMap { $0 }
                },
                .step("groupBy(whenFull: .finishIdlest)", .gathers) {
                    $0.groupBy(limit: 2, whenFull: .finishIdlest) { $0 % 5 }.flatMap { $0 }
                },
                .step("groupBy(whenFull: .fail)", .gathers) {
                    $0.groupBy(limit: 2, whenFull: .fail { .upstreamFailed }) { $0 % 3 }.flatMap { $0 }
                },
                .timedStep("groupBy(idleTimeout:)", .gathers) {
                    $0.groupBy(limit: 3, idleTimeout: 2, scheduler: $1, whenFull: .finishIdlest) { $0 % 4 }
                        .flatMap { $0 }
                },
                .step("window(count: 3).flatMap", .gathers) { $0.window(count: 3, unread: .skip).flatMap { $0 } },
                .step("window(count: 3).concatMap") { $0.window(count: 3, unread: .hold).concatMap { $0 } },
                .timedStep("window(within:)", .gathers) {
                    $0.window(within: 2, scheduler: $1, unread: .hold).concatMap { $0 }
                },
                .join("window(on: b)", 2, .gathers) { $0[0].window(on: $0[1], unread: .hold).concatMap { $0 } },
                .step("partition") { $0.partition { $0 < 100 }.matches },
                .step("batch(count: 3)") { $0.batch(count: 3) },
                .step("batch(count:weight:)") { $0.batch(count: 5, weight: { $0 % 4 }) },
                .timedStep("batch(within:)", .gathers) { $0.batch(count: 3, within: 2, scheduler: $1) },
                .step("batch(within:), at once", .gathers) {
                    $0.batch(count: 3, within: 2, scheduler: ImmediateScheduler.shared)
                },
            ])
    }
}
