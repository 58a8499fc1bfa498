import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Waits until a condition holds, for work that other threads do.
///
/// It returns as soon as the condition holds, so a long patience costs nothing where all is well, and a test that waits
/// like this does not fail because a machine is slow.
///
/// ```swift
/// let subscriber = TestSubscriber<Int, Never>(.unlimited)
/// Just(1).receive(on: DispatchQueue(label: "work")).subscribe(subscriber)
/// XCTAssertTrue(waitUntil { subscriber.values == [1] })
/// ```
///
/// - Parameters:
///   - patience: For how many thousandths of a second to wait at most.
///   - condition: What to wait for. It is looked at on the caller's thread, again and again.
/// - Returns: Whether the condition holds.
@discardableResult public func waitUntil(patience: Int = 2000, _ condition: () -> Bool) -> Bool {
    let deadline = DispatchTime.now() + .milliseconds(patience)
    var looks = 0
    while !condition() {
        if DispatchTime.now() >= deadline { return condition() }
        looks += 1
        // What is nearly there comes sooner than a thread that sleeps wakes up.
        if looks < 50 { sched_yield() } else { usleep(200) }
    }
    return true
}

/// Waits until something has not changed for a while, for work of which nobody can say when it is done.
///
/// Where there is something to wait for, ``waitUntil(patience:_:)`` is sooner back and surer.
///
/// ```swift
/// let ticks = PassthroughSubject<Int, Never>()
/// let subscriber = TestSubscriber<Int, Never>(.unlimited)
/// ticks.receive(on: DispatchQueue(label: "work")).subscribe(subscriber)
/// for tick in 1...100 { ticks.send(tick) }
/// subscriber.cancel()
/// XCTAssertTrue(waitForQuiet { subscriber.values.count })
/// ```
///
/// - Parameters:
///   - duration: How many thousandths of a second have to pass without a change.
///   - patience: For how many thousandths of a second to wait at most.
///   - activity: What tells of a change, as the number of values heard so far does.
/// - Returns: Whether it became quiet.
@discardableResult public func waitForQuiet(
    for duration: Int = 20, patience: Int = 2000, of activity: () -> some Equatable
) -> Bool {
    let deadline = DispatchTime.now() + .milliseconds(patience)
    var last = activity()
    var changed = DispatchTime.now()
    while true {
        usleep(500)
        let current = activity()
        let now = DispatchTime.now()
        if current != last { (last, changed) = (current, now) }
        if now >= changed + .milliseconds(duration) { return true }
        if now >= deadline { return false }
    }
}
