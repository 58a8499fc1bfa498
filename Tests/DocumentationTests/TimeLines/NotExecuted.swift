extension DocumentedOperators {
    /// The time-lines that no test executes, as `TimeLineRun` names them, by why.
    ///
    /// A new time-line belongs to `named(_:)`, or to `DocumentedScenes` if it has several rows.
    static let notExecuted: Set = [
        // Rows that say more than columns and signs: several requests and values in one, two runs in one, values that were there
        // before, text beside values, and a group without an end.
        "Broadcast slow", "Cached later", "FlatMapFailures failures: .afterValues", "JSONLines values",
        "RateLimit rateLimit 2 in 10", "ShareReplay later",
        // A resource, whose opening and closing are drawn with the signs of values and failures.
        "Resource resource", "Using using", "UsingWhen usingWhen",
        // The next turn of a scheduler is drawn a column later, and takes none of virtual time.
        "ReceiveOn receive(on:) next turn of the scheduler",
        // Tasks, actors, queues or threads, whose moments are not those of a scheduler.
        "AsyncFlatMap asyncFlatMap", "AsyncMap asyncCompactMap number", "AsyncMap asyncFilter even",
        "AsyncMap asyncMap", "AsyncMapByKey asyncMap", "AsyncSequence+Publisher publisher",
        "AwaitingValues collected up to 3", "AwaitingValues firstValue", "AwaitingValues lastValue", "Channel Channel",
        "ForEach forEach", "Parallel second", "Produce produce",
        "ReceiveOnActor compactMap", "ReceiveOnActor filter",
        "ReceiveOnActor map", "ReceiveOnActor receive(on:) next turn of the actor",
        "TaskPublisher task",
        // It ends the process, unless a debugger is there.
        "Breakpoint breakpointOnError",
        // No row is an upstream: a control, a notification, a timer of Foundation, the state of a breaker.
        "CircuitBreaker breaker closed", "ControlPublisher self",
        "NotificationCenter+Publisher self", "Timer+Publisher self",
        // Of the kit: what it reports or prints is not what the rows publish.
        "PrintingTimeLine printingTimeLine", "Validated validated",
        // Files, sockets or another process.
        "Connection+Writing write to the peer", "Frames frames", "Publisher+Acknowledge acknowledge",
        "Publisher+Add add", "Publisher+UnderWay underWay", "Publisher+Write write to a file",
        "Redis+Messages messages", "RedisStream+Deliveries deliveries", "RedisStream+Entries entries",
    ]
}
