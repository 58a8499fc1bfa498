import Dispatch
private import Foundation
import HeadgateLibC

/// Waits until a condition holds, for work on other threads.
///
/// It returns as soon as the condition holds, so a long timeout costs nothing in a passing test, and a test that waits
/// like this does not fail on a slow machine. On the main thread, the main queue and the main run loop run meanwhile.
///
/// ```swift
/// import Dispatch
/// import Headgate
/// import HeadgateTesting
///
/// let subscriber = TestSubscriber<Int, Never>(.unlimited)
/// Just(1).receive(on: DispatchQueue(label: "work")).subscribe(subscriber)
/// XCTAssertTrue(waitUntil { subscriber.values == [1] })
/// ```
///
/// - Parameters:
///   - timeout: The maximum number of milliseconds to wait.
///   - condition: The condition. It is evaluated repeatedly on the caller's thread.
/// - Returns: Whether the condition holds.
@discardableResult public func waitUntil(timeout: Int = 2000, _ condition: () -> Bool) -> Bool {
    let deadline = DispatchTime.now() + .milliseconds(timeout)
    var looks = 0
    while !condition() {
        if DispatchTime.now() >= deadline { return condition() }
        looks += 1
        // Spinning first is faster than waking a sleeping thread.
        if looks < 50, !Thread.isMainThread { sched_yield() } else { pause(microseconds: 200) }
    }
    return true
}

/// Waits until a value has not changed for a while, for work without a known end.
///
/// If there is a condition to wait for, ``waitUntil(timeout:_:)`` returns sooner and is more reliable.
///
/// ```swift
/// import Dispatch
/// import Headgate
/// import HeadgateTesting
///
/// let ticks = PassthroughSubject<Int, Never>()
/// let subscriber = TestSubscriber<Int, Never>(.unlimited)
/// ticks.receive(on: DispatchQueue(label: "work")).subscribe(subscriber)
/// for tick in 1...100 { ticks.send(tick) }
/// subscriber.cancel()
/// XCTAssertTrue(waitForQuiet { subscriber.values.count })
/// ```
///
/// - Parameters:
///   - duration: How many milliseconds must pass without a change.
///   - timeout: The maximum number of milliseconds to wait.
///   - activity: The observed value, such as the number of values received so far.
/// - Returns: Whether it became quiet.
@discardableResult public func waitForQuiet(
    for duration: Int = 20, timeout: Int = 2000, of activity: () -> some Equatable
) -> Bool {
    let deadline = DispatchTime.now() + .milliseconds(timeout)
    var last = activity()
    var changed = DispatchTime.now()
    while true {
        pause(microseconds: 500)
        let current = activity()
        let now = DispatchTime.now()
        if current != last { (last, changed) = (current, now) }
        if now >= changed + .milliseconds(duration) { return true }
        if now >= deadline { return false }
    }
}

/// Lets other threads run for a while; on the main thread, what is scheduled there.
private func pause(microseconds: Int) {
    if Thread.isMainThread {
        let end = Date(timeIntervalSinceNow: Double(microseconds) / 1_000_000)
        // It returns at once if nothing can be scheduled on it.
        if RunLoop.main.run(mode: .default, before: end) { return }
    }
    usleep(UInt32(microseconds))
}
