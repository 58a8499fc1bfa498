import Glibc

/// Runs a closure on several threads at the same time and returns when all have come to its end.
///
/// ThreadSanitizer follows these threads, which it can't do with those of a dispatch queue.
///
/// - Parameter body: Given the number of the thread, from zero up. What the threads share, the test answers for.
public func onThreads(_ count: Int, _ body: @escaping (Int) -> Void) {
    let threads = (0..<count).map { number in
        let task = Unmanaged.passRetained(ThreadTask { body(number) })
        var thread: pthread_t = 0
        pthread_create(
            &thread, nil,
            { task in
                if let task { Unmanaged<ThreadTask>.fromOpaque(task).takeRetainedValue().body() }
                return nil
            }, task.toOpaque())
        return thread
    }
    for thread in threads { pthread_join(thread, nil) }
}

private final class ThreadTask {
    let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }
}

/// How often the stress tests do what they do.
///
/// A debug build is some fifty times slower than a release build, and an instrumented one slower still; so the numbers
/// there are a tenth of what the names of the tests promise.
public enum Scale {
    /// The number of times, or a tenth of it.
    public static func reduced(_ count: Int) -> Int {
        #if DEBUG
            count / 10
        #else
            count
        #endif
    }
}
