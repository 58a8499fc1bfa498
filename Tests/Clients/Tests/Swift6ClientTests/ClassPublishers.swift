import Headgate
import XCTest

// Publishers that are open classes and inherited from, in both language modes: many clients have them.

/// An open class that publishes, and asks what it inherits from for its values.
open class Countdown: Publisher {
    public typealias Output = Int
    public typealias Failure = Never

    open var start: Int { 3 }

    public init() {}

    open func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        stride(from: start, to: 0, by: -1).publisher.receive(subscriber: subscriber)
    }
}

/// Overrides a member of the inherited publisher.
public class LongCountdown: Countdown {
    override public var start: Int { 5 }
}

/// Overrides how subscribers are received.
public final class Overriding: Countdown {
    override public func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        [100].publisher.receive(subscriber: subscriber)
    }
}

/// A generic class that wraps another publisher, and that can be inherited from.
open class Wrapping<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    let upstream: Upstream

    public init(_ upstream: Upstream) { self.upstream = upstream }

    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
        upstream.receive(subscriber: subscriber)
    }
}

/// A subject that can be inherited from: it counts what is sent.
open class CountingSubject<Output, Failure: Error>: Subject {
    private let subject = PassthroughSubject<Output, Failure>()
    public private(set) var count = 0

    public init() {}

    open func send(_ value: Output) {
        count += 1
        subject.send(value)
    }

    open func send(completion: Subscribers.Completion<Failure>) { subject.send(completion: completion) }

    open func send(subscription: any Subscription) { subject.send(subscription: subscription) }

    open func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        subject.receive(subscriber: subscriber)
    }
}

/// A subject that inherits everything except what it does with a value.
public class DoublingSubject: CountingSubject<Int, Never> {
    override public func send(_ value: Int) { super.send(value * 2) }
}

/// A connectable publisher that can be inherited from.
open class Manual: ConnectablePublisher {
    public typealias Output = Int
    public typealias Failure = Never

    private let connectable: Publishers.MakeConnectable<Publishers.Sequence<[Int], Never>>

    public init(_ values: [Int]) { connectable = values.publisher.makeConnectable() }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        connectable.receive(subscriber: subscriber)
    }

    open func connect() -> any Cancellable { connectable.connect() }
}

public final class SubclassedManual: Manual {}

final class ClassPublishersTests: XCTestCase {
    private func values<P: Publisher>(of publisher: P) -> [P.Output] where P.Failure == Never {
        var values: [P.Output] = []
        _ = publisher.sink { values.append($0) }
        return values
    }

    func test_classesThatAreInheritedFromPublish() {
        XCTAssertEqual(values(of: Countdown()), [3, 2, 1])
        XCTAssertEqual(values(of: LongCountdown()), [5, 4, 3, 2, 1])
        XCTAssertEqual(values(of: LongCountdown() as Countdown), [5, 4, 3, 2, 1])
        XCTAssertEqual(values(of: Overriding() as Countdown), [100])
        XCTAssertEqual(values(of: Wrapping(Just(1))), [1])
    }

    func test_operatorsFollowThem() {
        XCTAssertEqual(values(of: LongCountdown().map { $0 * 2 }.filter { $0 > 4 }), [10, 8, 6])
        XCTAssertEqual(values(of: (LongCountdown() as Countdown).map { $0 * 2 }.scan(0, +)), [10, 18, 24, 28, 30])
        XCTAssertEqual(values(of: Wrapping(Overriding().map { $0 + 1 }).map { $0 + 1 }), [102])
        XCTAssertEqual(values(of: Overriding().eraseToAnyPublisher().map { $0 + 1 }), [101])
        XCTAssertEqual(values(of: Just(2).flatMap { _ in LongCountdown().map { $0 } }), [5, 4, 3, 2, 1])
    }

    func test_subjectsThatAreInheritedFromSend() {
        let subject = DoublingSubject()
        var received: [Int] = []
        let cancellable = subject.map { $0 + 1 }.sink { received.append($0) }
        subject.send(1)
        let upstream = [2, 3].publisher.subscribe(subject)
        XCTAssertEqual(received, [3, 5, 7])
        XCTAssertEqual(subject.count, 3)
        cancellable.cancel()
        upstream.cancel()
    }

    func test_connectablesThatAreInheritedFromConnect() {
        let manual = SubclassedManual([1, 2])
        var received: [Int] = []
        let cancellable = manual.map { $0 }.sink { received.append($0) }
        XCTAssertEqual(received, [])
        let connection = manual.connect()
        XCTAssertEqual(received, [1, 2])
        XCTAssertEqual(values(of: Manual([3]).autoconnect()), [3])
        cancellable.cancel()
        connection.cancel()
    }
}
