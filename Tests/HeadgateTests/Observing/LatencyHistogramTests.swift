import Headgate
import XCTest

final class LatencyHistogramTests: XCTestCase {
    func test_theBoundOfAShareIsThatOfTheFirstBucketsThatHoldIt() {
        var histogram = LatencyHistogram()
        XCTAssertEqual(histogram.bound(of: 0.5), .zero)
        histogram.add(.nanoseconds(1))
        histogram.add(.nanoseconds(1000))
        XCTAssertEqual(histogram.count, 2)
        XCTAssertEqual(histogram.bound(of: 0), .nanoseconds(2))
        XCTAssertEqual(histogram.bound(of: 0.5), .nanoseconds(2))
        XCTAssertEqual(histogram.bound(of: 0.51), .nanoseconds(1024))
        XCTAssertEqual(histogram.bound(of: 1), .nanoseconds(1024))
    }

    func test_takesNegativeAndHugeDurations() {
        var histogram = LatencyHistogram()
        histogram.add(.seconds(-1))
        XCTAssertEqual(histogram.bound(of: 1), .nanoseconds(1))
        histogram.add(.seconds(Int64.max))
        XCTAssertEqual(histogram.bound(of: 1), .nanoseconds(Int.max))
    }
}
