import HeadgateCombine
import HeadgateEngine
import HeadgateTesting
import HeadgateVerification
import TestSupport
import XCTest

final class ZipConduitTests: XCTestCase {
    func test_doesWhatTheModelDoesInEveryOrderOfEvents() {
        explore(Act.allCases, upTo: 6, atLeast: 5_000) { try compare($0, isReentrant: false) }
    }

    func test_doesWhatTheModelDoesWhenEventsComeFromInsideDeliveries() {
        // A delivery needs a request and both values, so these are the beginnings of all scripts with something inside.
        let beginnings: [[Act]] = [
            [.request, .first, .second], [.first, .request, .second], [.first, .second, .request],
        ]
        explore(Act.allCases, upTo: 4, after: beginnings) { try compare($0, isReentrant: true) }
    }

    func test_deliversEveryPairOnceAndInOrderFromTwoThreads() {
        let first = PassthroughSubject<Int, Never>()
        let second = PassthroughSubject<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        first.zip(second) { $0 == $1 ? $0 : -1 }.subscribe(subscriber)
        onThreads(2) { index in
            for value in 0..<10_000 { (index == 0 ? first : second).send(value) }
        }
        XCTAssertEqual(subscriber.values, Array(0..<10_000))
    }

    func test_cancelReachesASideThatIsServingARequestWithoutAValue() {
        for isFirst in [true, false] {
            let subscriber = TestSubscriber<[Int], Never>.checked()
            var looked = 0
            let fruitless = (1...10_000).publisher.filter { number in
                looked = number
                if number == 100 { subscriber.cancel() }
                return false
            }
            let other = PassthroughSubject<Int, Never>()
            if isFirst {
                fruitless.zip(other) { [$0, $1] }.subscribe(subscriber)
            } else {
                other.zip(fruitless) { [$0, $1] }.subscribe(subscriber)
            }
            subscriber.request(1)
            XCTAssertEqual(looked, 100)
        }
    }

    func test_readsASequenceNoFurtherThanTheOthersReach() {
        let subject = PassthroughSubject<Int, Never>()
        var read = [0, 0]
        let lines = (0...1).map { index in
            IteratorSequence(
                AnyIterator { () -> Int? in
                    read[index] += 1
                    return index == 0 && read[0] > 2 ? nil : read[index]
                })
        }
        let subscriber = TestSubscriber<[Int], Never>.checked(.unlimited)
        lines[0].publisher.zip(subject, lines[1].publisher) { [$0, $1, $2] }.subscribe(subscriber)
        // One value of each sequence waits for the subject.
        XCTAssertEqual(read, [1, 1])
        subject.send(1)
        XCTAssertEqual(subscriber.values, [[1, 1, 1]])
        XCTAssertEqual(read, [2, 2])
        subject.send(2)
        // The first sequence has ended, so the other is read no further.
        XCTAssertEqual(subscriber.values, [[1, 1, 1], [2, 2, 2]])
        XCTAssertEqual(read, [3, 2])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_readsAgainWhenASideHasReadNothing() {
        let subscriber = TestSubscriber<Int, Never>.checked()
        let evens = (1...6).publisher.filter { $0 % 2 == 0 }
        evens.zip(Just(0).append(0, 0, 0)) { $0 + $1 }.subscribe(subscriber)
        for _ in 0..<3 { subscriber.request(1) }
        XCTAssertEqual(subscriber.values, [2, 4, 6])
    }

    func test_carriesAHundredThousandPairsOfSequencesHoweverTheyAreRequested() {
        let count = Scale.reduced(100_000)
        for demand in [Subscribers.Demand.unlimited, .max(1)] {
            let subscriber = TestSubscriber<Int, Never>.checked(requesting: demand) { _, _ in .max(1) }
            (0..<count).publisher.zip((0...).publisher) { $0 - $1 }.subscribe(subscriber)
            XCTAssertEqual(subscriber.values.count, count)
            XCTAssertTrue(subscriber.values.allSatisfy { $0 == 0 })
            XCTAssertTrue(subscriber.hasFinished)
        }
    }

    func test_aSideThatServesARequestForeverHoldsUpNoSequence() {
        for demand in [Subscribers.Demand.unlimited, .max(2)] {
            for position in 0...2 {
                let endless = Insistent().eraseToAnyPublisher()
                var sides = [(1...4).publisher.eraseToAnyPublisher(), (1...9).publisher.eraseToAnyPublisher()]
                sides.insert(endless, at: position)
                var sums: [Int] = []
                var hasFinished = false
                sides[0].zip(sides[1], sides[2]) { $0 + $1 + $2 }.subscribe(
                    AnySubscriber(
                        receiveSubscription: { $0.request(demand) },
                        receiveValue: { sum in
                            sums.append(sum)
                            // The endless side is requested forever only here, from inside a delivery.
                            return sums.count == 2 ? .unlimited : .none
                        },
                        receiveCompletion: { _ in hasFinished = true }))
                XCTAssertEqual(sums, [2, 4, 6, 8], "\(demand), \(position)")
                XCTAssertTrue(hasFinished, "\(demand), \(position)")
            }
        }
    }

    func test_isSilentAfterCancelOnAnotherThread() {
        for _ in 0..<100 {
            let first = PassthroughSubject<Int, Never>()
            let second = PassthroughSubject<Int, Never>()
            var count = 0
            let cancellable = first.zip(second).sink { _ in count += 1 }
            onThreads(2) { index in
                if index == 0 {
                    for value in 0..<50 {
                        first.send(value)
                        second.send(value)
                    }
                } else {
                    cancellable.cancel()
                }
            }
            let before = count
            first.send(0)
            second.send(0)
            XCTAssertEqual(count, before)
        }
    }

    private enum Act: CaseIterable {
        case first, second, firstFinish, secondFinish, firstFailure, secondFailure, request, cancel
    }

    /// Plays a script to the conduit and to the model.
    ///
    /// - Returns: Whether the stream is over.
    private func compare(_ script: [Act], isReentrant: Bool) throws -> ScriptFrontier<Act>.Standing {
        let first = TestPublisher<Int, TestFailure>()
        let second = TestPublisher<Int, TestFailure>()
        var sent = [0, 0]
        var director: Director<Act>?
        defer { director = nil }
        let subscriber = TestSubscriber<Int, TestFailure> { _, _ in director?.delivery() }
        director = Director(script, isReentrant: isReentrant) { act in
            switch act {
            case .first:
                sent[0] += 1
                first.force(sent[0])
            case .second:
                sent[1] += 1
                second.force(sent[1])
            case .firstFinish: first.finish()
            case .secondFinish: second.finish()
            case .firstFailure: first.fail(.first)
            case .secondFailure: second.fail(.second)
            case .request: subscriber.request(1)
            case .cancel: subscriber.cancel()
            }
        }
        first.zip(second) { $0 * 10 + $1 }.subscribe(subscriber)
        director?.run()

        let model = Model()
        let modelDirector = Director(script, isReentrant: isReentrant) { model.act($0) }
        model.onDelivery = { modelDirector.delivery() }
        modelDirector.run()

        try expect("heard", Array(subscriber.received.dropFirst()), model.received)
        try expect("calls of the first", first.calls, model.calls[0])
        try expect("calls of the second", second.calls, model.calls[1])
        try expect("breaches", subscriber.breaches, [])
        // What the operator promises: demand is forwarded to both sides, beyond what they have sent without it.
        if !model.isOver, subscriber.outstanding > .none {
            for (side, sent) in zip([first, second], sent) where side.isConnected {
                let wanted = subscriber.outstanding + subscriber.values.count
                if max(side.requested, .max(sent)) < wanted {
                    throw Difference("\(side.requested) of \(wanted) requested")
                }
            }
        }
        return model.isOver ? .over : .open
    }

    /// What a zip is, written down without regard to speed.
    private final class Model {
        typealias Call = TestPublisher<Int, TestFailure>.Call

        enum Work {
            case value(Int, Int)
            case end(Int, Subscribers.Completion<TestFailure>)
            case request
            case cancel
        }

        var received: [StreamEvent<Int, TestFailure>] = []
        var calls: [[Call]] = [[], []]
        var isOver = false
        var onDelivery: () -> Void = {}

        private var sent = [0, 0]
        private var isConnected = [true, true]
        private var queues: [[Int]] = [[], []]
        private var hasEnded = [false, false]
        private var demand = 0
        private var allowance = [0, 0]
        private var isClosed = false
        private var waiting: [Work] = []
        private var isBusy = false

        /// What is requested of the sides when all else has been done, unless the stream is over by then.
        private var requests: [(side: Int, demand: Int)] = []

        func act(_ act: Act) {
            switch act {
            case .first: send(0)
            case .second: send(1)
            case .firstFinish: end(0, .finished)
            case .secondFinish: end(1, .finished)
            case .firstFailure: end(0, .failure(.first))
            case .secondFailure: end(1, .failure(.second))
            case .request:
                if isClosed { return }
                demand += 1
                perform(.request)
            case .cancel:
                if isClosed { return }
                isClosed = true
                perform(.cancel)
            }
        }

        private func send(_ side: Int) {
            sent[side] += 1
            if isConnected[side] { perform(.value(side, sent[side])) }
        }

        private func end(_ side: Int, _ completion: Subscribers.Completion<TestFailure>) {
            if !isConnected[side] { return }
            isConnected[side] = false
            perform(.end(side, completion))
        }

        private func perform(_ work: Work) {
            waiting.append(work)
            if isBusy { return }
            isBusy = true
            while !waiting.isEmpty { performNow(waiting.removeFirst()) }
            isBusy = false
            for (side, demand) in requests where !hasEnded[side] { calls[side].append(.request(.max(demand))) }
            requests = []
        }

        private func performNow(_ work: Work) {
            if isOver { return }
            switch work {
            case .value(let side, let value): queues[side].append(value)
            case .end(let side, .finished): hasEnded[side] = true
            case .end(let side, let failure):
                hasEnded[side] = true
                return over(failure)
            case .request: for side in 0...1 { allowance[side] += 1 }
            case .cancel: return over(nil)
            }
            while !queues[0].isEmpty, !queues[1].isEmpty, demand > 0, !isClosed {
                demand -= 1
                received.append(.value(queues[0].removeFirst() * 10 + queues[1].removeFirst()))
                onDelivery()
            }
            if isClosed { return }
            if (0...1).contains(where: { hasEnded[$0] && queues[$0].isEmpty }) { return over(.finished) }
            for side in 0...1 where !hasEnded[side] && allowance[side] > 0 {
                if let index = requests.firstIndex(where: { $0.side == side }) {
                    requests[index].demand += allowance[side]
                } else {
                    requests.append((side, allowance[side]))
                }
                allowance[side] = 0
            }
        }

        private func over(_ completion: Subscribers.Completion<TestFailure>?) {
            isOver = true
            requests = []
            for side in 0...1 where !hasEnded[side] {
                calls[side].append(.cancel)
                isConnected[side] = false
            }
            if let completion, !isClosed { received.append(.completion(completion)) }
            isClosed = true
        }
    }
}

/// Serves a request until it is cancelled, as publishers written by hand do: zeros, but not forever in a test.
private struct Insistent: Publisher {
    typealias Output = Int
    typealias Failure = Never

    func receive(subscriber: some Subscriber<Int, Never>) {
        subscriber.receive(subscription: Serving(subscriber: AnySubscriber(subscriber)))
    }

    private final class Serving: Subscription {
        private var subscriber: AnySubscriber<Int, Never>?

        init(subscriber: AnySubscriber<Int, Never>) { self.subscriber = subscriber }

        func request(_ demand: Subscribers.Demand) {
            var demand = demand
            var count = 0
            while let subscriber, demand > .none, count < 100_000 {
                demand -= 1
                count += 1
                demand += subscriber.receive(0)
            }
        }

        func cancel() { subscriber = nil }
    }
}
