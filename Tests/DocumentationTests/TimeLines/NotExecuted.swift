extension DocumentedOperators {
    /// The time-lines that no test executes, as `TimeLineRun` names them, by why.
    ///
    /// A new time-line belongs to `named(_:)`, or to `DocumentedScenes` if it has several rows, tasks or another place than memory.
    static let notExecuted: Set = [
        // Clocks of the system.
        "DispatchTimer timer", "Timer+Publisher self", "WallTimer timer",
        // What comes from outside, when it comes: no row says what causes it.
        "ByteReader lines", "Command+Events events", "Command+Output bytes", "Command+Output lines", "Command+Run run",
        "Connection+Connecting connect", "Connection+Reading bytes", "Directory changes", "Directory entries",
        "File+Bytes bytes",
        "File+Follow bytes", "File+Follow lines", "Listener listener", "Redis+Command command", "Signals signals",
        "URLSession+Publisher self",
        // Its tasks wait for each other, which the executor of a scene can't order.
        "AsyncMapLatest asyncMapLatest",
        // Its columns are not of one length.
        "PlayheadProgress self",
        // They need a server: the tests of HeadgateRedis start one, and test what these show.
        "Publisher+Acknowledge acknowledge", "Publisher+Add add", "Publisher+AddToPartitions add",
        "Redis+Messages messages", "Redis+Transaction transaction", "RedisPartitions+Deliveries acknowledged",
        "RedisPartitions+Lag lag",
        "RedisStream+Deliveries deliveries",
        "RedisStream+Entries entries",
        "RedisStream+Lag lag",
    ]
}
