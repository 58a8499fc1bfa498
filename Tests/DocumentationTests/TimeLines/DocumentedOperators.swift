import Headgate
import HeadgateFlow
import HeadgateTesting

/// The operators as their time-lines name them.
struct DocumentedOperators {
    let rows: [Texts]
    let scheduler: TestScheduler

    private var source: Texts { rows[0] }
    private var numbers: AnyPublisher<Int, Broken> { source.map(number).eraseToAnyPublisher() }
    private var other: Texts { rows[1] }

    /// What an operator makes of the rows; `nil` where it is not known.
    func named(_ name: String) -> Texts? {
        let families = [
            transformed, filtered, trimmed, reduced, matched, combined, flattened, grouped, recovered, timed, observed,
        ]
        for family in families {
            if let result = family(name) { return result }
        }
        return nil
    }

    private func transformed(_ name: String) -> Texts? {
        switch name {
        case "Map map *10": numbers.map { $0 * 10 }.texts
        case "Map tryMap number": source.tryMap(readNumber).texts
        case "MapKeyPath map \\.count": source.map(unquoted).map(\.count).texts
        case "MapKeyPath map \\.count, \\.isEmpty": source.map(unquoted).map(\.count, \.isEmpty).texts
        case "MapKeyPath map \\.count, \\.isEmpty, \\.utf8.count":
            source.map(unquoted).map(\.count, \.isEmpty, \.utf8.count).texts
        case "MapError mapError": source.mapError { $0 }.texts
        case "CompactMap compactMap number": source.compactMap { Int($0) }.texts
        case "CompactMap tryCompactMap number":
            source.tryCompactMap { text in
                if text == "?" { throw Broken() }
                return Int(text)
            }.texts
        case "ReplaceNil replaceNil 0": source.map { Int($0) }.replaceNil(with: 0).texts
        case "Scan scan 0, +": numbers.scan(0, +).texts
        case "Scan tryScan 100, /": numbers.tryScan(100, dividing).texts
        case "ScanInto scan into: [], append": source.scan(into: [String]()) { $0.append($1) }.texts
        case "ScanEmitting scan 0, +": numbers.scan(emitting: 0, +).texts
        case "Owned owned", "Owned taken": source.owned { _ in }.taken().texts
        case "SetFailureType setFailureType": source.assertNoFailure().setFailureType(to: Broken.self).texts
        case "Enumerated enumerated": source.enumerated().map { "\($0.index)\($0.element)" }.texts
        case "MapToValue mapToValue 0": source.mapToValue(0).texts
        case "MapToVoid mapToVoid": source.mapToVoid().map { "o" }.texts
        case "MapToValue mapToVoid": source.mapToVoid().map { "o" }.texts
        case "Toggle toggle": source.map { $0 == "true" }.toggle().texts
        case "Unwrap unwrap": source.map { Int($0) }.unwrap().texts
        case "SetOutputType setOutputType": source.ignoreOutput().setOutputType(to: String.self).texts
        case "StepAtEnd step the sum of each two, and the rest":
            numbers.step(state: Int?.none) { last, value -> Int? in
                defer { last = last == nil ? value : nil }
                return last.map { $0 + value }
            } atEnd: { rest -> Int? in
                rest
            }.texts
        case "Step step the sum of this one and the one before":
            numbers.step(state: Int?.none) { last, value -> Int? in
                defer { last = value }
                return last.map { $0 + value }
            }.texts
        default: nil
        }
    }

    private func filtered(_ name: String) -> Texts? {
        switch name {
        case "Filter filter even": numbers.filter(isEven).texts
        case "Filter tryFilter even": numbers.tryFilter(isEvenButNotZero).texts
        case "IgnoreOutput ignoreOutput": source.ignoreOutput().setOutputType(to: String.self).texts
        case "RemoveDuplicates removeDuplicates ignoring case":
            source.removeDuplicates { $0.lowercased() == $1.lowercased() }.map { $0.lowercased() }.texts
        case "RemoveDuplicates removeDuplicates": source.removeDuplicates().texts
        case "RemoveDuplicates tryRemoveDuplicates no zero":
            numbers.tryRemoveDuplicates { last, next in
                if next == 0 { throw Broken() }
                return last == next
            }.texts
        case "ReplaceEmpty replaceEmpty 0": source.replaceEmpty(with: "0").texts
        case "ReplaceError replaceError 0": source.replaceError(with: "0").texts
        case "RemoveAllDuplicates remove…": source.removeAllDuplicates().texts
        default: nil
        }
    }

    private func trimmed(_ name: String) -> Texts? {
        switch name {
        case "Drop dropFirst 2": source.dropFirst(2).texts
        case "DropWhile drop while below 3": numbers.drop { $0 < 3 }.texts
        case "DropWhile tryDrop while below 3, but no zero": numbers.tryDrop(while: isBelowThreeButNotZero).texts
        case "Output prefix 2": source.prefix(2).texts
        case "Output output 1...2": source.output(in: 1...2).texts
        case "Output output 1": source.output(at: 1).texts
        case "PrefixWhile prefix while below 3": numbers.prefix { $0 < 3 }.texts
        case "PrefixWhile tryPrefix while below 3, but no zero": numbers.tryPrefix(while: isBelowThreeButNotZero).texts
        case "PrefixWhileBehavior prefix while below 3, inclusive":
            numbers.prefix(while: { $0 < 3 }, behavior: .inclusive).texts
        case "PrefixDuration prefix 10": source.prefix(duration: 10, on: scheduler).texts
        case "UntilOutput prefix": source.prefix(untilOutputFrom: other).texts
        case "UntilOutput drop": source.drop(untilOutputFrom: other).texts
        default: nil
        }
    }

    private func reduced(_ name: String) -> Texts? {
        switch name {
        case "Collect collect": source.collect().texts
        case "CollectByCount collect 2": source.collect(2).texts
        case "CollectByTime collect ----": source.collect(.byTime(scheduler, .seconds(4))).texts
        case "Comparison max by length": source.max { $0.count < $1.count }.texts
        case "Comparison min by length": source.min { $0.count < $1.count }.texts
        case "Comparison tryMax no zero": numbers.tryMax(by: isLessButNotZero).texts
        case "Comparison tryMin no zero": numbers.tryMin(by: isLessButNotZero).texts
        case "Comparison max": numbers.max().texts
        case "Comparison min": numbers.min().texts
        case "Count count": source.count().texts
        case "Reduce reduce 0, +": numbers.reduce(0, +).texts
        case "ReduceInto reduce into: [], append": source.reduce(into: [String]()) { $0.append($1) }.texts
        case "Reduce tryReduce 100, /": numbers.tryReduce(100, dividing).texts
        default: nil
        }
    }

    private func matched(_ name: String) -> Texts? {
        switch name {
        case "AllSatisfy allSatisfy even": numbers.allSatisfy(isEven).texts
        case "AllSatisfy tryAllSatisfy even, but no zero": numbers.tryAllSatisfy(isEvenButNotZero).texts
        case "Contains contains 2": numbers.contains(2).texts
        case "Contains contains even": numbers.contains(where: isEven).texts
        case "Contains tryContains even, but no zero": numbers.tryContains(where: isEvenButNotZero).texts
        case "First first": source.first().texts
        case "First first even": numbers.first(where: isEven).texts
        case "First tryFirst even, but no zero": numbers.tryFirst(where: isEvenButNotZero).texts
        case "Last last": source.last().texts
        case "Last last even": numbers.last(where: isEven).texts
        case "Last tryLast even, but no zero": numbers.tryLast(where: isEvenButNotZero).texts
        default: nil
        }
    }

    private func combined(_ name: String) -> Texts? {
        switch name {
        case "CombineLatest combineLatest": source.combineLatest(other) { "\($0),\($1)" }.texts
        case "CombineLatestCollection combineLatest": rows.combineLatest().texts
        case "ZipCollection zip": rows.zip().texts
        case "Zip zip": source.zip(other) { "\($0),\($1)" }.texts
        case "Merge merge": source.merge(with: other).texts
        case "MergeCollection merge": rows.merge().texts
        case "Concatenate append": source.append("8", "9").texts
        case "Concatenate prepend": other.prepend("8", "9").texts
        case "Amb amb": source.amb(other).texts
        case "FirstWithValue firstWithValue": source.firstWithValue(other).texts
        case "MergeDelayingFailures merge": source.mergeDelayingFailures(with: other).mapError(\.first).texts
        case "Paused paused": source.paused(by: other.map { $0 == "t" }.ignoreFailure()).texts
        case "MergeSorted mergeSorted": source.mergeSorted(with: other, by: <).texts
        case "SampleOn sample(on:)": source.sample(on: other).texts
        case "WithLatestFrom withLatestFrom": source.withLatestFrom(other) { "\($0),\($1)" }.texts
        case "SwitchIfEmpty": source.switchIfEmpty(to: other).texts
        case "SwitchIfEmpty defaultIfEmpty 0": source.defaultIfEmpty("0").texts
        case "Repeat repeat": source.repeat(times: 2).texts
        default: nil
        }
    }

    private func flattened(_ name: String) -> Texts? {
        guard let inner = rows.dropFirst().first ?? rows.first else { return nil }
        let named: (String) -> Texts = { value in inner.map { value + $0 }.eraseToAnyPublisher() }
        switch name {
        case "FlatMap flatMap": return source.flatMap(named).texts
        case "FlatMapDelayingFailures flatMap":
            let rows = rows
            return source.flatMapDelayingFailures { value in rows[value == "1" ? 1 : 2].map { value + $0 } }.mapError(
                \.first
            ).texts
        case "ConcatMap concatMap": return source.concatMap(named).texts
        case "FlatMapBatches flatMapBatches(of: 2)": return rows.flatMapBatches(of: 2).texts
        case "FlatMapFirst flatMapFirst": return source.flatMapFirst(named).texts
        case "FlatMapLatest flatMapLatest": return source.flatMapLatest(named).texts
        case "SwitchToLatest switchToLatest":
            return source.map { $0 == "a" ? self.rows[1] : self.rows[2] }.switchToLatest().texts
        case "SwitchOnFirst switchOnFirst prefix(3)":
            return source.switchOnFirst { first, values in values.prefix(number(first)) }.texts
        default: return nil
        }
    }

    private func grouped(_ name: String) -> Texts? {
        switch name {
        case "Batch batch 2": source.batch(count: 2).texts
        case "Chunked chunked next == last + 1": numbers.chunked { $1 == $0 + 1 }.texts
        case "Pairwise pairwise": source.pairwise().texts
        case "SlidingTime sliding within 8, every 4":
            source.sliding(within: .seconds(8), every: .seconds(4), limit: 9, scheduler: scheduler).texts
        case "Sliding sliding 3": source.sliding(3).texts
        case "Sliding nwise 3": source.nwise(3).texts
        default: nil
        }
    }

    private func recovered(_ name: String) -> Texts? {
        switch name {
        case "Catch catch": source.catch { _ in self.other }.texts
        case "Catch tryCatch": source.tryCatch { _ in self.other }.texts
        case "CatchWhere catch": source.catch(where: { _ in true }) { _ in self.other }.texts
        case "Fallback fallback": source.fallback(to: self.other).texts
        case "IgnoreFailure ignoreFailure": source.ignoreFailure().texts
        case "Retry retry 1": source.retry(1).texts
        default: nil
        }
    }

    private func timed(_ name: String) -> Texts? {
        switch name {
        case "RateLimit interval 5": source.interval(.seconds(5), scheduler: scheduler).texts
        case "RateLimit rateLimit 2 in 10": source.rateLimit(2, per: .seconds(10), scheduler: scheduler).texts
        case "Prefetch receive(on:) next turn of the scheduler":
            source.receive(on: LaterColumn(scheduler), prefetch: 4).texts
        case "SubscribeOn subscribe(on:)": source.subscribe(on: LaterColumn(scheduler)).texts
        case "Debounce debounce ---": source.debounce(for: .seconds(3), scheduler: scheduler).texts
        case "DebounceByValue debounce - per letter":
            source.debounce(scheduler: scheduler) { .seconds($0.count) }.texts
        case "Delay delay --": source.delay(for: .seconds(2), scheduler: scheduler).texts
        case "DelaySubscription delay 3": source.delaySubscription(for: .seconds(3), scheduler: scheduler).texts
        case "Throttle throttle":
            source.throttle(for: .seconds(5), scheduler: scheduler, latest: true).texts
        case "Timeout timeout -----": source.timeout(.seconds(5), scheduler: scheduler).texts
        case "TimeLimits timeout between 4":
            source.timeout(between: .seconds(4), scheduler: scheduler) { _ in Broken() }.texts
        case "TimeLimits timeout first 4":
            source.timeout(first: .seconds(4), scheduler: scheduler, fallback: { _ in self.other }).texts
        case "ReceiveOn receive(on:) next turn of the scheduler":
            source.receive(on: LaterColumn(scheduler)).texts
        case "MeasureInterval measureInterval":
            source.measureInterval(using: scheduler).map { "\($0)".prefix { $0.isNumber } }.texts
        default: nil
        }
    }

    private func observed(_ name: String) -> Texts? {
        switch name {
        case "Breakpoint breakpoint": source.breakpoint().texts
        case "HandleEvents handleEvents": source.handleEvents().texts
        case "Print print": source.print("", to: Nowhere()).texts
        case "AssertNoFailure assertNoFailure": source.assertNoFailure().texts
        case "Tap tap": source.tap(Silent()).texts
        case "Stage stage": source.stage("stage", in: Flow("flow")).texts
        case "Checkpoint checkpoint": source.checkpoint("checkpoint") { _ in }.texts
        default: nil
        }
    }
}

private struct Silent: TapObserver {}

private struct Nowhere: TextOutputStream {
    mutating func write(_ string: String) {}
}

private func number(_ text: String) -> Int { Int(text) ?? 0 }

private func readNumber(_ text: String) throws -> Int {
    guard let number = Int(text) else { throw Broken() }
    return number
}

private func unquoted(_ text: String) -> String { text.filter { $0 != "\"" } }

private func isEven(_ number: Int) -> Bool { number.isMultiple(of: 2) }

private func isEvenButNotZero(_ number: Int) throws -> Bool {
    if number == 0 { throw Broken() }
    return isEven(number)
}

private func isBelowThreeButNotZero(_ number: Int) throws -> Bool {
    if number == 0 { throw Broken() }
    return number < 3
}

private func isLessButNotZero(_ first: Int, _ second: Int) throws -> Bool {
    if first == 0 || second == 0 { throw Broken() }
    return first < second
}

private func dividing(_ number: Int, by divisor: Int) throws -> Int {
    if divisor == 0 { throw Broken() }
    return number / divisor
}
