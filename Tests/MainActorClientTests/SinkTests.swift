import Dispatch
import Headgate
import XCTest

/// Everything in this module belongs to the main actor without a word.
final class Meter {
    var level = 0
    var end = ""
    var listeners: Set<AnyCancellable> = []

    func follow(_ readings: some Publisher<Int, Never>) {
        readings.sink(isolation: #isolation) { [weak self] in self?.level += $0 }.store(in: &listeners)
        readings.sink(on: .shared) { [weak self] in self?.level += $0 }.store(in: &listeners)
        readings.sink(
            isolation: #isolation, receiveCompletion: { [weak self] in self?.end = "\($0)" }, receiveValue: { _ in }
        ).store(in: &listeners)
    }

    func add(_ readings: some Publisher<Int, Never>) async {
        await readings.forEach { self.level += $0 }
    }
}

nonisolated final class MainActorClientTests: XCTestCase {
    @MainActor func test_sinksOfTheMainActorNeedNoAnnotation() async {
        let meter = Meter()
        meter.follow((1...10).publisher.receive(on: DispatchQueue.global()))
        while meter.level < 110 || meter.end.isEmpty { await Task.yield() }
        await meter.add((1...10).publisher.receive(on: DispatchQueue.global()))
        XCTAssertEqual(meter.level, 165)
        XCTAssertEqual(meter.end, "finished")
    }
}
