import Headgate
import HeadgateTesting
import HeadgateVerification

// Operators with several upstreams, and with publishers inside.

/// A few numbers at once, from 1 on.
private func numbers(_ count: Int) -> Stage.Stream {
    (1...).prefix(count).publisher.setFailureType(to: VerificationFailure.self).eraseToAnyPublisher()
}

extension Flow {
    fileprivate static func numbers(_ count: Int) -> Flow { .list(1..<(count + 1)) }
}

extension Stage {
    static var joining: Family<Stage> {
        Family(
            "Joining",
            [
                .stage("append(7, 8)", { up, _ in up.append(7, 8) }) { $0.append(.list([7, 8])) },
                .stage("append(b)", { up, _ in up.append(numbers(2)) }) { $0.append(.numbers(2)) },
                .stage("prepend(7, 8)", { up, _ in up.prepend(7, 8) }) { $0.prepend(.list([7, 8])) },
                .stage("prepend(b)", { up, _ in up.prepend(numbers(2)) }) { $0.prepend(.numbers(2)) },
                .stage("merge(with: b)", { up, _ in up.merge(with: numbers(2)) }, .paced) {
                    .merge([$0, .numbers(2)])
                },
                .stage("b.merge(with:)", { up, _ in numbers(2).merge(with: up) }, .paced) {
                    .merge([.numbers(2), $0])
                },
                // What a merged publisher sends next is requested after the value before it.
                .stage("merge(with: Empty())", { up, _ in up.merge(with: Empty()) }, .requestsLateInside) { $0 },
                .stage("merge(with: b, c)", { up, _ in up.merge(with: numbers(2), numbers(1)) }, .paced) {
                    .merge([$0, .numbers(2), .numbers(1)])
                },
                .stage("MergeMany", { up, _ in Publishers.MergeMany(numbers(1), up, numbers(2)) }, .paced) {
                    .merge([.numbers(1), $0, .numbers(2)])
                },
                .stage("[a, b].merge()", { up, _ in [up, numbers(3)].merge() }, .paced) { .merge([$0, .numbers(3)]) },
                .stage("merge(with: Fail)", { up, _ in up.merge(with: Fail(error: .upstreamFailed)) }, .paced) {
                    .merge([$0, .failure])
                },
                .stage(
                    "mergeDelayingFailures(with: b)",
                    { up, _ in up.mergeDelayingFailures(with: numbers(2)).mapError(\.first) }, .paced
                ) { up in
                    .delayingFailures { .merge([$0(up), .numbers(2)]) }
                },
                .stage(
                    "mergeDelayingFailures(with: Fail)",
                    { up, _ in up.mergeDelayingFailures(with: Fail(error: .upstreamFailed)).mapError(\.first) }, .paced
                ) { up in
                    .delayingFailures { .merge([$0(up), $0(.failure)]) }
                },
                .stage("switchIfEmpty(to:)", { up, _ in up.switchIfEmpty(to: numbers(2)) }) {
                    $0.recover(from: .finished, if: { $0 == 0 }) { _ in .numbers(2) }
                },
            ])
    }

    static var combining: Family<Stage> {
        Family(
            "Combining",
            [
                .stage(
                    "zip(b)", { up, _ in up.zip(numbers(3)) { [$0, $1].number } }, [.limits, .takesAllUnlessItAnswers]
                ) {
                    .zip([$0, .numbers(3)])
                },
                .stage(
                    "b.zip(a)", { up, _ in numbers(4).zip(up) { [$0, $1].number } },
                    [.limits, .takesAllUnlessItAnswers]
                ) {
                    .zip([.numbers(4), $0])
                },
                .stage(
                    "zip(b, c)", { up, _ in up.zip(numbers(3), numbers(2)) { [$0, $1, $2].number } },
                    [.limits, .takesAllUnlessItAnswers]
                ) {
                    .zip([$0, .numbers(3), .numbers(2)])
                },
                .stage(
                    "[a, b].zip()", { up, _ in [up, numbers(3)].zip().map(\.number) },
                    [.limits, .takesAllUnlessItAnswers]
                ) {
                    .zip([$0, .numbers(3)])
                },
                .stage("combineLatest(b)", { up, _ in up.combineLatest(numbers(3)) { [$0, $1].number } }, .paced) {
                    .combineLatest([$0, .numbers(3)])
                },
                .stage("b.combineLatest(a)", { up, _ in numbers(3).combineLatest(up) { [$0, $1].number } }, .paced) {
                    .combineLatest([.numbers(3), $0])
                },
                .stage(
                    "combineLatest(b, c)",
                    {
                        up, _ in numbers(2).combineLatest(up, numbers(3)) { [$0, $1, $2].number }
                    }, .paced
                ) { .combineLatest([.numbers(2), $0, .numbers(3)]) },
                .stage("[a, b].combineLatest()", { up, _ in [up, numbers(3)].combineLatest().map(\.number) }, .paced) {
                    .combineLatest([$0, .numbers(3)])
                },
                .stage("withLatestFrom(b)", { up, _ in up.withLatestFrom(numbers(3)) { [$0, $1].number } }) {
                    $0.map { [$0, 3].number }
                },
                .stage("amb(b)", { up, _ in up.amb(Empty(completeImmediately: false)) }, .paced) { $0 },
                .stage("firstWithValue(b)", { up, _ in up.firstWithValue(Empty()) }, .paced) {
                    $0
                },
                .stage(
                    "[a, b].mergeSorted(by:)",
                    { up, _ in [up.scan(0) { max($0, $1) }.eraseToAnyPublisher(), numbers(4)].mergeSorted(by: <) },
                    [.limits, .requestsAfterDelivery]
                ) {
                    .sorted([$0.risingOnly, .numbers(4)])
                },
            ])
    }

    static var flattening: Family<Stage> {
        Family(
            "Flattening",
            [
                .stage("flatMap to Just", { up, _ in up.flatMap { Just($0) } }, .takesAllUnlessItWaits) { $0 },
                .stage(
                    "flatMap", { up, _ in up.flatMap { [$0, $0 &+ 10].publisher } }, [.paced, .takesAllUnlessItWaits]
                ) {
                    $0.expand { [.value($0), .value($0 &+ 10)] }
                },
                .stage(
                    "flatMap to numbers", { up, _ in up.flatMap { numbers($0 & 3) } }, [.paced, .takesAllUnlessItWaits]
                ) {
                    $0.flatMap { .numbers($0 & 3) }
                },
                .stage(
                    "flatMap(maxPublishers: .max(1))",
                    { up, _ in up.flatMap(maxPublishers: .max(1)) { numbers($0 & 3) } }, [.limits, .failsAtOnce]
                ) {
                    $0.flatMap(atMost: 1) { .numbers($0 & 3) }
                },
                .stage(
                    "flatMap(maxPublishers: .max(2))",
                    { up, _ in up.flatMap(maxPublishers: .max(2)) { numbers($0 & 3) } }, [.paced, .limits]
                ) {
                    $0.flatMap(atMost: 2) { .numbers($0 & 3) }
                },
                .stage(
                    "flatMap to failures",
                    { up, _ in up.flatMap { $0 < 4 ? numbers(1) : Fail(error: .upstreamFailed).eraseToAnyPublisher() }
                    }, [.paced, .takesAllUnlessItWaits]
                ) {
                    $0.flatMap { $0 < 4 ? .numbers(1) : .failure }
                },
                .stage(
                    "flatMap to delayed", { up, time in up.flatMap { numbers($0 & 1).delay(for: 2, scheduler: time) } },
                    [.paced, .requestsAll, .takesAllUnlessItWaits]
                ) {
                    $0.flatMap { Flow.numbers($0 & 1).delay(2 * Flow.second) }
                },
                .stage(
                    "flatMap(failures: .afterValues)",
                    { up, _ in up.flatMap(failures: .afterValues) { numbers($0 & 3) } },
                    [.paced, .takesAllUnlessItWaits]
                ) {
                    $0.flatMap { .numbers($0 & 3) }
                },
                .stage(
                    "flatMapDelayingFailures",
                    { up, _ in
                        up.flatMapDelayingFailures {
                            $0 == 2 ? Fail(error: .upstreamFailed).eraseToAnyPublisher() : numbers($0 & 3)
                        }.mapError(\.first)
                    }, [.paced, .takesAllUnlessItWaits]
                ) { up in
                    .delayingFailures { noted in noted(up).flatMap { $0 == 2 ? noted(.failure) : .numbers($0 & 3) } }
                },
                .stage("concatMap", { up, _ in up.concatMap { numbers($0 & 3) } }, [.limits, .failsAtOnce]) {
                    $0.flatMap(atMost: 1) { .numbers($0 & 3) }
                },
                .stage("concatMap to Just", { up, _ in up.concatMap { Just($0) } }, [.limits, .failsAtOnce]) { $0 },
                .stage(
                    "flatMapSequential(maxConcurrent: 2)",
                    { up, _ in up.flatMapSequential(maxConcurrent: 2) { numbers($0 & 3) } }, [.limits, .failsAtOnce]
                ) {
                    $0.flatMap(atMost: 1) { .numbers($0 & 3) }
                },
                .stage(
                    "map.switchToLatest", { up, _ in up.map { numbers($0 & 3) }.switchToLatest() },
                    [.paced, .requestsAll]
                ) {
                    $0.flatMap(latest: true) { .numbers($0 & 3) }
                },
                .stage("flatMapLatest", { up, _ in up.flatMapLatest { numbers($0 & 3) } }, [.paced, .requestsAll]) {
                    $0.flatMap(latest: true) { .numbers($0 & 3) }
                },
                .stage(
                    "flatMapLatest to delayed",
                    { up, time in
                        up.flatMapLatest {
                            Just($0).setFailureType(to: VerificationFailure.self).delay(for: 2, scheduler: time)
                        }
                    }, [.paced, .requestsAll]
                ) {
                    $0.flatMap(latest: true) { Flow.list([$0]).delay(2 * Flow.second) }
                },
                .stage("flatMapFirst", { up, _ in up.flatMapFirst { numbers($0 & 3) } }, [.paced, .requestsAll]) {
                    $0.flatMap(first: true) { .numbers($0 & 3) }
                },
                .stage(
                    "expand(.breadthFirst)",
                    {
                        up, _ in up.expand(.breadthFirst, limit: 100, whenFull: .skip) { _ in numbers(0) }
                    }, [.limits, .takesAllUnlessItAnswers]
                ) { $0 },
                .stage(
                    "expand(.depthFirst)",
                    {
                        up, _ in
                        up.expand(.depthFirst, limit: 3, whenFull: .skip) {
                            $0 < 3
                                ? Just($0 + 100).setFailureType(to: VerificationFailure.self).eraseToAnyPublisher()
                                : numbers(0)
                        }
                    }, [.limits, .failsAtOnce]
                ) {
                    // The publisher made of a value begins when the request for that value has returned.
                    $0.failingAtOnce.expand { $0 < 3 ? [.value($0), .value($0 + 100)] : [.value($0)] }
                },
                .stage(
                    "flatMapBatches(of: 1)", { up, _ in [up, numbers(3)].flatMapBatches(of: 1).map(\.number) },
                    [.limits, .takesAllUnlessItAnswers]
                ) {
                    .zip([$0]).append(.zip([.numbers(3)]))
                },
                .stage(
                    "switchOnFirst", { up, _ in up.switchOnFirst { first, all in all.map { $0 &+ first } } },
                    [.requestsFirst, .limits]
                ) {
                    $0.scan(Int?.none) { first, value in
                        first = first ?? value
                        return [.value(value &+ first!)]
                    }
                },
                // What is acquired answers at once, or doesn't: an operator after it doesn't know.
                .stage(
                    "usingWhen",
                    { up, _ in
                        Publishers.usingWhen(acquire: numbers(1)) { _ in
                            up
                        } release: { _, _ in
                            numbers(0)
                        }
                    }, .requestsLateInside
                ) { $0 },
            ])
    }

    static var recovering: Family<Stage> {
        Family(
            "Recovering",
            [
                .stage("catch", { up, _ in up.catch { _ in numbers(2) } }) {
                    $0.recover { $0 == 0 ? .numbers(2) : nil }
                },
                .stage("tryCatch", { up, _ in up.tryCatch { _ in numbers(2) } }) {
                    $0.recover { $0 == 0 ? .numbers(2) : nil }
                },
                .stage("catch(where:)", { up, _ in up.catch(where: { _ in true }) { _ in numbers(2) } }) {
                    $0.recover { $0 == 0 ? .numbers(2) : nil }
                },
                .stage("catch(where:) that lets pass", { up, _ in up.catch(where: { _ in false }) { _ in numbers(2) } })
                { $0 },
                .stage("tryMap.catch", { up, _ in up.tryMap { try $0.unlessNine() }.catch { _ in Just(7) } }) {
                    $0.unlessNine.recover { $0 == 0 ? .list([7]) : nil }
                },
                .stage("fallback(to:)", { up, _ in up.fallback(to: numbers(2)) }) {
                    $0.recover { $0 == 0 ? .numbers(2) : nil }
                },
                .stage("retry(1)", { up, _ in up.retry(1) }) { up in up.recover { $0 == 0 ? up : nil } },
                .stage(
                    "retry(.immediate(retries: 2))",
                    { up, _ in up.retry(.immediate(retries: 2), scheduler: ImmediateScheduler.shared) }
                ) {
                    up in up.recover { $0 < 2 ? up : nil }
                },
                .stage("retry(policy)", { up, time in up.retry(.constant(.seconds(1), retries: 2), scheduler: time) }) {
                    up in up.recover { $0 < 2 ? up.begin(after: Flow.second) : nil }
                },
                .stage("repeat(times: 2)", { up, _ in up.repeat(times: 2) }) { .concatenate([$0, $0]) },
                .stage(
                    "delaySubscription(for:)", { up, time in up.delaySubscription(for: 1, scheduler: time) },
                    .requestsLater
                ) {
                    $0.begin(after: Flow.second)
                },
            ])
    }
}

extension Flow {
    fileprivate var risingOnly: Flow {
        scan(0) { highest, value in
            highest = max(highest, value)
            return [.value(highest)]
        }
    }

    /// Merges sorted flows of which one value each is known.
    fileprivate static func sorted(_ flows: [Flow]) -> Flow {
        Flow { time, reading in
            let sides = flows.map { $0.failingAtOnce.begin(time, reading) }
            var ahead: [Moment?] = flows.map { _ in nil }
            var ended: Set<Int> = []
            var (now, isOver) = (time, false)
            return {
                if isOver { return nil }
                for side in sides.indices where ahead[side] == nil && !ended.contains(side) {
                    guard let moment = sides[side]() else { return nil }
                    if moment.event == .failed {
                        // It may come before a value of another that waits.
                        if ahead.contains(where: { $0 != nil }) { reading.isAmbiguous = true }
                        isOver = true
                        return moment
                    }
                    now = max(now, moment.time)
                    if moment.event == .finished { ended.insert(side) } else { ahead[side] = moment }
                }
                func value(_ side: Int) -> Int? {
                    if case .value(let value)? = ahead[side]?.event { value } else { nil }
                }
                guard let side = sides.indices.filter({ ahead[$0] != nil }).min(by: { value($0)! < value($1)! }) else {
                    isOver = true
                    return Moment(time: now, event: .finished)
                }
                defer { ahead[side] = nil }
                return Moment(time: now, event: ahead[side]!.event)
            }
        }
    }
}
