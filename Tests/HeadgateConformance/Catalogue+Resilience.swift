import Headgate
import HeadgateFlow
import HeadgateSystem
import HeadgateTesting
import HeadgateVerification

/// What Headgate adds to Combine for streams that fail, are late, are shared for long, or are observed.
extension Candidate {
    static var resilience: [Family<Candidate>] {
        [retrying, succeeding, materializing, replaying, sharedTwice, watching]
    }

    private static var retrying: Family<Candidate> {
        let policy = RetryPolicy.constant(.seconds(1), retries: 2)
        return Family(
            "Retrying",
            [
                .step("retry(.immediate(retries: 2))") {
                    $0.retry(.immediate(retries: 2), scheduler: ImmediateScheduler.shared)
                },
                .timedStep("retry(policy)") { $0.retry(policy, scheduler: $1) },
                .timedStep("retry(policy, exhausted:)") { $0.retry(policy, scheduler: $1, exhausted: { $0 }) },
                .step("retryWhen", .finite) { $0.retryWhen { $0.prefix(2) } },
                .step("catch(where:)", .finite) { $0.catch(where: { _ in true }) { _ in numbers(3) } },
                .step("catch(where:) that lets pass") { $0.catch(where: { _ in false }) { _ in numbers(3) } },
                .timedStep("circuitBreaker") {
                    $0.circuitBreaker(CircuitBreaker(scheduler: $1), rejected: { _ in .upstreamFailed })
                },
                .step("fallback(to:)", .finite) { $0.fallback(to: numbers(3)) },
                .timedStep("timeout(first:between:total:)", [.endsWithUpstream, .endsByTime]) {
                    $0.timeout(first: 1, between: 1, total: 5, scheduler: $1) { _ in .upstreamFailed }
                },
                .timedStep("timeout(fallback:), in time") {
                    $0.timeout(scheduler: $1, fallback: { _ in numbers(2) })
                },
            ])
    }

    private static var succeeding: Family<Candidate> {
        Family(
            "Succeeding",
            [
                .step("repeat(times: 3)", []) { $0.repeat(times: 3) },
                .step("repeat(times: 0)", .finite) { $0.repeat(times: 0) },
                .step("switchIfEmpty(to:)") { $0.switchIfEmpty(to: numbers(3)) },
                .timedStep("delaySubscription(for:)") { $0.delaySubscription(for: 1, scheduler: $1) },
                .step("prefix(while:behavior: .inclusive)", .finite) {
                    $0.prefix(while: { $0 < 5 }, behavior: .inclusive)
                },
                .timedStep("prefix(duration:)", [.finite, .endsByTime]) { $0.prefix(duration: 5, on: $1) },
            ])
    }

    private static var materializing: Family<Candidate> {
        Family(
            "Materializing",
            [
                .step("materialize", .finite) { $0.materialize() },
                .safeStep("dematerialize") { $0.map(Event<Int, VerificationFailure>.value).dematerialize() },
                .step("mapToResult", .finite) { $0.mapToResult() },
                .step("MapToResult", .finite) { Publishers.MapToResult(upstream: $0) },
                .step("enumerated", passing) { $0.enumerated() },
                .step("removeAllDuplicates", passing) { $0.map { $0 % 5 }.removeAllDuplicates() },
                .step("removeAllDuplicates(by:)", passing) { $0.removeAllDuplicates { $0 % 5 == $1 % 5 } },
                .step("removeAllDuplicates(rememberingLast: 3)", passing) {
                    $0.map { $0 % 5 }.removeAllDuplicates(rememberingLast: 3)
                },
                .step("scan(emitting:)") { $0.scan(emitting: 0, +) },
                .step("toggle", passing) { $0.map { $0 > 3 }.toggle() },
                .step("mapToValue", passing) { $0.mapToValue("x") },
                .step("owned.taken", passing) { $0.owned(onDiscard: { _ in }).taken() },
                .step("mapMany", passing) { $0.map { [$0] }.mapMany { $0 + 1 } },
                .step("ignoreFailure", .finite) { $0.ignoreFailure() },
                .step("ignoreOutput(setOutputType:)", passing) { $0.ignoreOutput(setOutputType: Int.self) },
                .join("flatMapBatches(of: 2)", 2) { $0.flatMapBatches(of: 2) },
                .step("flatMapBatches(of: 1)") { [$0, numbers(3)].flatMapBatches(of: 1) },
            ])
    }

    private static let passing: Capabilities = [.endsWithUpstream, .transparent]

    private static var replaying: Family<Candidate> {
        let (relay, level) = (PassthroughRelay<Int>(), CurrentValueRelay(0))
        return Family(
            "Replaying",
            [
                .publisher("PassthroughRelay", [.hot, .holdsSubscribers], settle: { relay.accept(1) }) { relay },
                .publisher("CurrentValueRelay", [.hot, .holdsSubscribers], settle: { level.accept(1) }) { level },
                .subject("ReplaySubject(bufferSize: 0)") { ReplaySubject<Int, VerificationFailure>(bufferSize: 0) },
                .subject("ReplaySubject(bufferSize: 2)") { ReplaySubject<Int, VerificationFailure>(bufferSize: 2) },
                .step("share(replay: 2)", .endsWithUpstream) { $0.share(replay: 2) },
                .step("shareUntilFailure", [.endsWithUpstream, .dropsUnasked]) { $0.shareUntilFailure() },
                .timedStep("cached(for:)") { $0.cached(for: 5, scheduler: $1) },
                .timedStep("makeConnectable.autoconnect(after: 1)", [.finite, .dropsUnasked]) {
                    $0.ignoreFailure().makeConnectable().autoconnect(scheduler: $1)
                },
                .timedStep("share(replay: 2, for:)") { $0.share(replay: 2, for: 5, scheduler: $1) },
            ])
    }

    /// Two streams through one piece, in one pipeline.
    private static var sharedTwice: Family<Candidate> {
        Family(
            "Shared by two",
            [
                .join("circuitBreaker of two", 2, .merges) { streams in
                    let breaker = CircuitBreaker(
                        CircuitBreakerPolicy(failures: .max), scheduler: ImmediateScheduler.shared)
                    let runs = streams.map { $0.circuitBreaker(breaker, rejected: { _ in .upstreamFailed }) }
                    return runs[0].merge(with: runs[1])
                },
                .join("stage of two", 2, .merges) { streams in
                    let flow = HeadgateFlow.Flow("flow")
                    return streams[0].stage("numbers", in: flow).merge(with: streams[1].stage("numbers", in: flow))
                },
                .timedStep("cached(for:) by two", .merges) {
                    let cached = $0.cached(for: 5, scheduler: $1)
                    return cached.merge(with: cached)
                },
                .step("shareReplay(capacity: 9) by two", .merges) {
                    let shared = $0.shareReplay(capacity: 9)
                    return shared.merge(with: shared)
                },
                .step("share(replay: 9) by two", .merges) {
                    let shared = $0.share(replay: 9)
                    return shared.merge(with: shared)
                },
                .step("share by two", [.dropsUnasked, .merges]) {
                    let shared = $0.share()
                    return shared.merge(with: shared)
                },
                .step("shareUntilFailure by two", [.dropsUnasked, .merges]) {
                    let shared = $0.shareUntilFailure()
                    return shared.merge(with: shared)
                },
                .step("multicast(subject:).autoconnect by two", [.dropsUnasked, .merges]) {
                    let shared = $0.multicast(subject: PassthroughSubject()).autoconnect()
                    return shared.merge(with: shared)
                },
                .join("stopped(by:) of two", 2, .merges) { streams in
                    let kill = KillSwitch()
                    return streams[0].stopped(by: kill).merge(with: streams[1].stopped(by: kill))
                },
                .step("broadcast(to: 2) by two", .merges) {
                    let shared = $0.broadcast(to: 2)
                    return shared.merge(with: shared)
                },
            ])
    }

    private static var watching: Family<Candidate> {
        Family(
            "Watching",
            [
                .step("checkpoint", passing) { $0.checkpoint("here") { _ in } },
                .step("onUndeliverable") { $0.onUndeliverable { _ in } },
                .timedStep("onStall") { $0.onStall(for: 5, scheduler: $1) { _ in } },
                .step("tap") { $0.tap(Unmoved()) },
                .step("stage") { $0.stage("numbers", in: HeadgateFlow.Flow("flow")) },
            ])
    }
}

struct Unmoved: TapObserver {}
