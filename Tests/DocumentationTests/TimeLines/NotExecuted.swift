extension DocumentedOperators {
    /// The time-lines that no test executes, as `TimeLineRun` names them, by why.
    ///
    /// A new time-line belongs to `named(_:)`.
    static let notExecuted: Set = [
        // Several subscribers or streams, of which each has a row.
        "Autoconnect upstream", "AutoconnectAfter upstream", "Broadcast slow", "Cached later",
        "CurrentValueRelay late", "CurrentValueSubject late", "Future subscribed later", "GroupBy b",
        "MakeConnectable connect()", "Multicast second", "Multicast subject", "Parallel second",
        "Partition nonMatches", "PassthroughRelay late", "PassthroughSubject late", "Published $property",
        "ReplaySubject late", "Share second", "ShareAndReplay late", "ShareReplay later", "ShareReplay very late",
        "SubjectConnection subject", "Window c",
        // Tasks, actors or threads, whose moments are not those of a scheduler.
        "AsyncFlatMap asyncFlatMap", "AsyncMap asyncCompactMap number", "AsyncMap asyncFilter even",
        "AsyncMap asyncMap", "AsyncMapByKey asyncMap", "AsyncSequence+Publisher publisher",
        "AwaitingValues collected up to 3", "Channel Channel", "ForEach forEach", "Produce produce",
        "ReceiveOn receive(on:) next turn of the scheduler", "ReceiveOnActor compactMap", "ReceiveOnActor filter",
        "ReceiveOnActor map", "ReceiveOnActor receive(on:) next turn of the actor", "TaskPublisher task",
        "UsingWhen usingWhen",
        // A source or a sink, so that no row is an upstream, or none is what comes out.
        "Always Always(7)", "Assign object.x", "CircuitBreaker breaker closed", "ControlPublisher self",
        "Deferred Deferred", "Emitter emitter", "HoldValue publisher", "NotificationCenter+Publisher self",
        "Optional nil.publisher", "PausableSink receiveValue", "Resource resource",
        "Result Result.failure(e).publisher", "Sink receiveCompletion", "Sink receiveValue", "Stalls stalls",
        "Timer+Publisher self", "Unfold unfold", "Using using",
        // Rows of demand, or of values that are not texts.
        "FlatMapSequential flatMapSequential", "Prefetch prefetch 4", "Undeliverable onUndeliverable",
        "Buffer demand", "Carrying carrying", "Conflate batchWhileBusy", "Conflate conflate",
        "Decode decode from JSON", "Dematerialize dematerialize", "Dematerialize failures()",
        "Dematerialize values()", "Encode encode as JSON", "Expand expand 1: 2, 3  2: 4",
        "FlatMapFailures failures: .afterValues", "JSONLines values", "MapMany filterMany even",
        "MapMany mapMany *10", "MapToResult mapToResult", "Materialize materialize", "OnBackpressure dropped",
        "PrintingTimeLine printingTimeLine", "RateLimit rateLimit 2 in 10", "RecordingDemand recordingDemand",
        "RetryByPolicy again", "RetryWhen trigger", "Validated validated",
        // Files, sockets or another process.
        "Connection+Writing write to the peer", "Frames frames", "KillSwitch stopped", "Lines byteLines",
        "Lines lines", "Publisher+Acknowledge acknowledge", "Publisher+Add add", "Publisher+UnderWay underWay",
        "Publisher+Write write to a file", "Redis+Messages messages", "RedisStream+Deliveries deliveries",
        "RedisStream+Entries entries",
    ]
}
