import HeadgateCore
import Synchronization
import XCTest

/// An object whose life can be followed: put it into values and closures, and see whether it is gone.
///
/// Those of each test are counted apart, because what a test leaves to other threads goes while the next one runs.
public final class Tracked: Sendable {
    private final class Population: Sendable {
        let count = Atomic(0)
    }

    private final class Observer: NSObject, XCTestObservation {
        func testCaseWillStart(_ testCase: XCTestCase) { Tracked.inProgress.withLock { $0 = Population() } }
    }

    private static let inProgress = {
        XCTestObservationCenter.shared.addTestObserver(Observer())
        return Guarded(Population())
    }()

    private static var current: Population { inProgress.withLock { $0 } }

    private let population = current

    /// How many there are that the test in progress has made.
    public static var count: Int { current.count.load(ordering: .acquiring) }

    /// Makes an object that is counted until it goes.
    public init() { population.count.add(1, ordering: .relaxed) }

    deinit { population.count.subtract(1, ordering: .releasing) }
}
