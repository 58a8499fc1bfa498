import Headgate
import HeadgateTesting

/// Models that keep themselves alive by what they subscribe to.
enum BadModels {
    private final class Counter {
        var total = 0
        var subscription: AnyCancellable?
        let changes = PassthroughSubject<Int, Never>()
    }

    static var exhibits: [Exhibit] {
        func exhibit(
            _ name: String, _ fault: String, met place: String,
            connect: @escaping (Counter, PassthroughSubject<Int, Never>) -> AnyCancellable
        ) -> Exhibit {
            Exhibit(
                name, fault, met: place,
                fails: "the counter is retained though the stream has completed or was cancelled"
            ) { fail in
                let source = PassthroughSubject<Int, Never>()
                func steps() -> StepVerifier<Int, Never> {
                    let counter = Counter()
                    counter.subscription = connect(counter, source)
                    return StepVerifier(counter.changes, demand: .unlimited).watching(counter, as: "the counter")
                        .perform { source.send(1) }.expect(1).cancel()
                }
                steps().verify(fail: fail)
            }
        }
        return [
            exhibit(
                "assignsToItself", "assigns to itself, and retains the subscription", met: "view models"
            ) { counter, source in
                source.handleEvents(receiveOutput: { [weak counter] in counter?.changes.send($0) })
                    .assign(to: \.total, on: counter)
            },
            exhibit(
                "closureKeepsItsOwner", "retains a subscription whose closure retains it", met: "view models"
            ) { counter, source in source.sink { counter.changes.send($0) } },
        ]
    }
}
