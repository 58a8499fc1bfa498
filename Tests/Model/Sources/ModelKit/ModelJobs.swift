/// Jobs that virtual threads perform: in the place of a queue of Dispatch, or of a scheduler.
public final class ModelJobs: @unchecked Sendable {
    /// What the library gives to Dispatch.
    public static let dispatch = ModelJobs()

    private let jobs = ModelMutex<[() -> Void]>([])

    public init() {}

    public func add(_ job: @escaping () -> Void) { jobs.withLock { $0.append(job) } }

    /// Performs what is scheduled, in order, and what that schedules.
    ///
    /// - Parameter waits: How many times to wait for something to be scheduled.
    public func perform(waits: Int = 1, atMost limit: Int = 20) {
        var waits = waits
        for _ in 0..<limit {
            let next = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            if let next {
                next()
            } else if waits > 0 {
                waits -= 1
                yieldHere()
            } else {
                return
            }
        }
    }

    public func dropAll() {
        var dropped: [() -> Void] = []
        jobs.withLock { swap(&$0, &dropped) }
    }
}
