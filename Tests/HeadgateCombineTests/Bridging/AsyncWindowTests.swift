import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class AsyncWindowTests: XCTestCase {
    func test_keepsTheMostRecentStateAndNoBacklog() async {
        let living = Tracked.count
        let state = CurrentValueSubject<Tracked, Never>(Tracked())
        var iterator = state.map { $0 }.values.makeAsyncIterator()
        for _ in 0..<1_000 { state.send(Tracked()) }
        XCTAssertEqual(Tracked.count, living + 1)
        let last = state.value
        state.send(completion: .finished)
        let value = await iterator.next()
        XCTAssertTrue(value === last, "the last state is not lost, also where the subject has finished")
        let end = await iterator.next()
        XCTAssertNil(end)
    }

    func test_keepsTheMostRecentValueOfAPublishedProperty() async {
        final class Model { @Published var count = 0 }
        let model = Model()
        var iterator = model.$count.values.makeAsyncIterator()
        for count in 1...1_000 { model.count = count }
        let value = await iterator.next()
        XCTAssertEqual(value, 1_000)
    }

    func test_aSubjectFillsAWindowAndGoesOnWhenTheLoopHasCaughtUp() async {
        let subject = PassthroughSubject<Int, Never>()
        var iterator = subject.values.makeAsyncIterator()
        for value in 0..<70_000 { subject.send(value) }
        for value in 0..<65_536 {
            let next = await iterator.next()
            if next != value { return XCTFail("\(value) is missing") }
        }
        subject.send(-1)
        let next = await iterator.next()
        XCTAssertEqual(next, -1)
    }

    func test_anEndlessPublisherOfSomebodyElsesIsReadNoFurtherThanTheWindow() async {
        var sent = 0
        let upstream = TestPublisher<Int, Never> { upstream, _ in
            while sent < 1_000_000, upstream.send(sent + 1) { sent += 1 }
        }
        var iterator = upstream.values.makeAsyncIterator()
        for value in 1...40_000 {
            let next = await iterator.next()
            if next != value { return XCTFail("\(value) is missing") }
        }
        XCTAssertEqual(sent, 65_536 + 32_768)
    }

    func test_twoTasksOnOneIteratorBothGetAValue() async {
        let (requested, makeRequest) = AsyncStream<Void>.makeStream()
        let upstream = TestPublisher<Int, Never> { _, _ in makeRequest.yield() }
        let conduit = upstream.values(buffering: .onDemand)
        nonisolated(unsafe) let iterator = conduit.makeAsyncIterator()
        let tasks = (0..<2).map { _ in
            Task {
                var copy = iterator
                return await copy.next()
            }
        }
        var requests = 0
        for await _ in requested {
            requests += 1
            if requests == 2 { break }
        }
        upstream.send(1)
        upstream.send(2)
        var values: Set<Int?> = []
        for task in tasks { values.insert(await task.value) }
        XCTAssertEqual(values, [1, 2])
    }
}

final class AsyncSharingConcurrencyTests: XCTestCase {
    func test_everyTaskOnOneIteratorGoesOnUntilTheEnd() async {
        for source in 0..<3 {
            for _ in 0..<Scale.reduced(300) {
                let range = (1...200).publisher
                let publisher: AnyPublisher<Int, Never> =
                    switch source {
                    case 0: range.eraseToAnyPublisher()
                    case 1: range.receive(on: DispatchQueue.global()).eraseToAnyPublisher()
                    default: range.subscribe(on: DispatchQueue.global()).eraseToAnyPublisher()
                    }
                nonisolated(unsafe) let iterator = publisher.values(
                    buffering: source == 2 ? .onDemand : .lossless
                ).makeAsyncIterator()
                let sum = await withTaskGroup(of: Int.self) { group in
                    for _ in 0..<4 {
                        group.addTask {
                            var copy = iterator
                            var sum = 0
                            while let value = await copy.next() {
                                sum += value
                                if value.isMultiple(of: 16) { await Task.yield() }
                            }
                            return sum
                        }
                    }
                    return await group.reduce(0, +)
                }
                XCTAssertEqual(sum, 20_100)
            }
        }
    }

    func test_cancellingOneTaskEndsAll() async {
        for _ in 0..<Scale.reduced(1_000) {
            nonisolated(unsafe) let iterator = PassthroughSubject<Int, Never>().values.makeAsyncIterator()
            let tasks = (0..<3).map { _ in
                Task {
                    var copy = iterator
                    return await copy.next()
                }
            }
            tasks[1].cancel()
            for task in tasks {
                let value = await task.value
                XCTAssertNil(value)
            }
        }
    }
}
