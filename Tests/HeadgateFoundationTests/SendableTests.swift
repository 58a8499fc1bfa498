import Foundation
import HeadgateFoundation
import XCTest

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

private func requireSendable(_: (some Sendable).Type) {}

/// What may cross from one isolation domain to another: this file does not compile where it may not.
final class SendableTests: XCTestCase {
    func test_timesAndOptionsCross() {
        requireSendable(RunLoop.SchedulerTimeType.self)
        requireSendable(RunLoop.SchedulerTimeType.Stride.self)
        requireSendable(RunLoop.SchedulerOptions.self)
        requireSendable(OperationQueue.SchedulerTimeType.self)
        requireSendable(OperationQueue.SchedulerTimeType.Stride.self)
        requireSendable(OperationQueue.SchedulerOptions.self)
    }

    func test_publishersCross() {
        requireSendable(NotificationCenter.Publisher.self)
        requireSendable(Timer.TimerPublisher.self)
        requireSendable(URLSession.DataTaskPublisher.self)
    }
}
