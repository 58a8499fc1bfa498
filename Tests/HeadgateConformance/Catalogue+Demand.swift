import HeadgateTesting

/// The operators that are documented to request from upstream before anything is requested of them: rule 2.7.
extension Candidate {
    /// Names of rows of the catalogue, by the reason that the operators' documentation gives.
    static let requestsOfTheirOwn: [String: [String]] = [
        "it requests everything at once, and its result waits for demand": [
            "ignoreOutput", "ignoreOutput(setOutputType:)",
            "first", "first(where:)", "tryFirst(where:)", "last", "last(where:)", "tryLast(where:)",
            "collect", "reduce", "reduce(into:)", "tryReduce", "count",
            "min", "max", "min(by:)", "max(by:)", "tryMin(by:)", "tryMax(by:)",
            "contains", "contains(where:)", "tryContains(where:)", "allSatisfy", "tryAllSatisfy",
        ],
        "it reads ahead": [
            "buffer(.keepFull, .dropNewest)", "buffer(.keepFull, .dropOldest)", "buffer(.keepFull, .customError)",
            "prefetch(4)", "prefetch(3, low: 2)", "receive(on:prefetch:)", "batchWhileBusy(limit: 3)",
            "batch(within:), at once", "collect(.byTimeOrCount), at once",
            "groupBy.flatMap", "groupBy(whenFull: .finishIdlest)", "groupBy(whenFull: .fail)", "groupBy(idleTimeout:)",
            "window(count: 3).flatMap", "window(count: 3).concatMap", "window(within:)",
            "switchOnFirst", "switchOnFirst to a part",
        ],
        "it works ahead": [
            "asyncMap", "asyncMap(maxConcurrent: 3)", "asyncMap(ordered: false)", "asyncMap that throws",
            "asyncMap(maxConcurrent:by:)", "asyncCompactMap", "asyncFilter",
            "parallel(2).sequential(ordered: true)", "parallel(2).sequential(ordered: false)",
        ],
        "it takes every value at its time, and decides what becomes of those without demand": [
            "buffer(.byRequest, .dropNewest)", "buffer(.byRequest, .dropOldest)", "buffer(.byRequest, .customError)",
            "conflate", "conflate(into:)", "onBackpressureDrop", "onBackpressureBuffer(.dropNewest)",
            "onBackpressureBuffer(.dropOldest)", "onBackpressureBuffer(.customError)", "onBackpressureBuffer(expiry:)",
            "debounce(for:)", "debounce(for:), at once", "debounce(scheduler:_:)", "sliding(within:every:)",
            "throttle(for:latest: true)", "throttle(for:latest: false)",
            "throttle(for:), at once", "collect(.byTime)", "flatMapFirst", "flatMapFirst(onDrop:)",
        ],
        "it keeps the values that a hot publisher sends before the first request": [
            "share(replay: 2)", "share(replay: 9) by two",
        ],
        "the foremost of two subscribers sets the pace, and both are served one after the other": [
            "cached(for:) by two", "shareReplay(capacity: 9) by two", "broadcast(to: 2) by two",
        ],
        "the other publisher counts from the subscription on": [
            "prefix(untilOutputFrom:)", "drop(untilOutputFrom:)", "withLatestFrom(b)", "withLatestFrom(b, c)",
            "withLatestFrom(b, c, d)", "sample(on: b)", "window(on: b)",
        ],
    ]

    /// The row, excused from rule 2.7 if its operator is documented to differ.
    var excusedForItsDemand: Candidate {
        guard let reason = Self.requestsOfTheirOwn.first(where: { $0.value.contains(name) })?.key else { return self }
        return excusing(.requestsOnlyForDemand, because: reason)
    }
}
