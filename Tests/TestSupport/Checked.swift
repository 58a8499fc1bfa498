import HeadgateCore
import HeadgateTesting
import XCTest

extension TestSubscriber {
    /// Makes a subscriber that follows a script, and fails the test at each breach of the contract, at the line that
    /// made the subscriber.
    ///
    /// - Parameters:
    ///   - script: What it requests, and when.
    ///   - misbehavior: Bad misbehavior that it is to have.
    ///   - clock: The scheduler whose time is written down.
    ///   - onValue: What else to do on receiving a value, before the script's reaction.
    ///   - onCompletion: What else to do on receiving the completion.
    public static func checked(
        _ script: DemandScript = .none, misbehavior: Misbehavior = [], clock: TestScheduler? = nil,
        file: StaticString = #filePath, line: UInt = #line,
        onValue: @escaping (TestSubscriber, Input) -> Void = { _, _ in },
        onCompletion: @escaping (TestSubscriber, Subscribers.Completion<Failure>) -> Void = { _, _ in }
    ) -> TestSubscriber {
        TestSubscriber(script, misbehavior: misbehavior, clock: clock, onValue: onValue, onCompletion: onCompletion) {
            XCTFail("\($0)", file: file, line: line)
        }
    }

    /// Makes a subscriber whose demand depends on the values that it receives, and which fails the test at each breach
    /// of the contract, at the line that made the subscriber.
    ///
    /// - Parameters:
    ///   - demand: What it requests on receiving the subscription.
    ///   - misbehavior: Bad misbehavior that it is to have.
    ///   - clock: The scheduler whose time is written down.
    ///   - answering: What to do on receiving a value; the demand that it returns is the answer to the value.
    ///   - onCompletion: What else to do on receiving the completion.
    public static func checked(
        requesting demand: Subscribers.Demand, misbehavior: Misbehavior = [], clock: TestScheduler? = nil,
        file: StaticString = #filePath, line: UInt = #line,
        answering: @escaping (TestSubscriber, Input) -> Subscribers.Demand = { _, _ in .none },
        onCompletion: @escaping (TestSubscriber, Subscribers.Completion<Failure>) -> Void = { _, _ in }
    ) -> TestSubscriber {
        TestSubscriber(
            requesting: demand, misbehavior: misbehavior, clock: clock, answering: answering, onCompletion: onCompletion
        ) { XCTFail("\($0)", file: file, line: line) }
    }
}

extension TestPublisher {
    /// Sends a value that has been requested, and fails the test if it has not been.
    ///
    /// - Returns: The demand that the subscriber answers.
    public func answer(
        to value: Output, file: StaticString = #filePath, line: UInt = #line
    ) -> Subscribers.Demand {
        let before = calls.count
        XCTAssertTrue(send(value), "nobody has requested \(value)", file: file, line: line)
        if calls.count > before, case .answer(let demand)? = calls.last { return demand }
        return .none
    }
}
