import Dispatch
import Headgate
import XCTest

@MainActor private final class Model {
    private(set) var labels: [String] = []

    func label(_ number: Int) -> String {
        MainActor.preconditionIsolated()
        return "number \(number)"
    }

    func add(_ label: String) {
        labels.append(label)
    }
}

/// Closures that belong to an actor, given to operators, in the ways in which they are run there.
final class IsolationTests: XCTestCase {
    @MainActor
    func test_closuresOfTheMainActorRunThereAfterTheMainQueue() async {
        let model = Model()
        let labels = (1...3).publisher
            .subscribe(on: DispatchQueue.global())
            .receive(on: DispatchQueue.main)
            .map { model.label($0) }
        for await label in labels.values { model.add(label) }
        XCTAssertEqual(model.labels, ["number 1", "number 2", "number 3"])
    }

    @MainActor
    func test_theBodyOfALoopRunsOnItsActorWhereverTheValuesComeFrom() async {
        let model = Model()
        let numbers = (1...3).publisher.receive(on: DispatchQueue(label: "elsewhere"))
        for await number in numbers.values { model.add(model.label(number)) }
        XCTAssertEqual(model.labels, ["number 1", "number 2", "number 3"])
    }
}
