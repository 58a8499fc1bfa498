import Headgate
import HeadgateFlow
import HeadgateTesting
import TestSupport
import XCTest

final class DescribeTests: XCTestCase {
    func test_aPipelineIsListedFromItsSource() {
        let pipeline = PassthroughSubject<Int, Never>().map { $0 + 1 }.filter { $0 > 2 }.batch(count: 10)
        XCTAssertEqual(
            "\(pipeline.describe())".split(separator: "\n").map { $0.prefix { $0 != "(" } },
            ["PassthroughSubject", "Map", "Filter", "Batch"])
    }

    func test_upstreamsAreNumbered() {
        let left = PassthroughSubject<Int, Never>().map { $0 }
        let right = PassthroughSubject<Int, Never>()
        let others = [right.eraseToAnyPublisher(), Just(1).eraseToAnyPublisher()]
        XCTAssertEqual(
            "\(left.zip(right).map { $0 + $1 }.merge(with: Publishers.MergeMany(others)).describe())",
            """
            1| 1| PassthroughSubject
            1| 1| Map
            1| 2| PassthroughSubject
            1| Zip
            1| Map
            2| 1| AnyPublisher
            2| 2| AnyPublisher
            2| MergeMany
            Merge
            """)
    }

    func test_placesAndPoliciesAndNumbersAreShown() {
        let pipeline = PassthroughSubject<Int, TestFailure>()
            .checkpoint("stock", file: "Shop/Stock.swift", line: 7)
            .retry(.immediate(retries: 2), scheduler: ImmediateScheduler.shared)
            .prefix(3)
        let text = "\(pipeline.describe())"
        XCTAssertTrue(text.contains("Checkpoint(stock (Shop/Stock.swift:7))"), text)
        XCTAssertTrue(text.contains("2 retries at once"), text)
        XCTAssertTrue(text.contains("0..<3"), text)
    }

    func test_whatIsAStepIsShownUnderItsOwnName() {
        let pipeline = PassthroughSubject<String, Never>().enumerated(initial: 7).sliding(3, step: 2)
            .step(state: 0) { count, _ -> Int? in
                count += 1; return count
            }
        XCTAssertEqual(
            "\(pipeline.describe())",
            """
            PassthroughSubject
            Enumerated(index: 7)
            Sliding(size: 3, step: 2)
            Step(state: 0)
            """)
    }

    func test_aStageShowsHowARunningStreamStands() {
        let flow = Flow("shop", scheduler: TestScheduler())
        let pipeline = (1...100).publisher.prefetch(8).stage("orders", in: flow)
        let subscriber = TestSubscriber<Int, Never>.checked(.first(3))
        pipeline.subscribe(subscriber)
        XCTAssertTrue(
            "\(pipeline.describe())".contains("Staged(orders: 3 values, demand 0, waiting 5, dropped 0)"),
            "\(pipeline.describe())")
        subscriber.request(.unlimited)
        XCTAssertTrue("\(pipeline.describe())".contains("100 values"))
    }

    func test_theGraphIsWrittenForGraphviz() {
        let pipeline = PassthroughSubject<Int, Never>().zip(PassthroughSubject<String, Never>()).print("say \"hi\"")
        let dot = pipeline.describe().dot
        XCTAssertTrue(dot.hasPrefix("digraph pipeline {\n"))
        XCTAssertTrue(dot.contains("s0 -> s2;"), dot)
        XCTAssertTrue(dot.contains("s1 -> s2;"), dot)
        XCTAssertTrue(dot.contains("s2 -> s3;"), dot)
        XCTAssertTrue(dot.contains(#"\"say \\\"hi\\\"\""#) || dot.contains(#"say \"#), dot)
        XCTAssertEqual(dot.filter { $0 == "{" }.count, dot.filter { $0 == "}" }.count)
    }

    func test_aMissingUpstreamIsDropped() {
        let pipeline = PassthroughSubject<Int, Never>().window(count: 3, unread: .skip)
        XCTAssertEqual("\(pipeline.describe())".split(separator: "\n").first, "PassthroughSubject")
        XCTAssertEqual(pipeline.describe().last.count, 2)
    }
}
