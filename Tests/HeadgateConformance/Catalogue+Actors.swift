import Headgate
import HeadgateTesting

/// Operators that deliver on an actor.
extension Candidate {
    static var actors: Family<Candidate> {
        // The streams do not retain it.
        let clerk = Clerk.shared
        return Family(
            "Actors",
            [
                .step("receive(on: actor)") {
                    $0.receive(on: clerk).tasks(on: TestExecutor(runsAtOnce: true))
                },
                .step("receive(on: actor) with closures of the actor") {
                    $0.receive(on: clerk)
                        .map { clerk, value in value + clerk.factor }
                        .filter { clerk, value in value != clerk.factor }
                        .compactMap { _, value in value }
                        .tasks(on: TestExecutor(runsAtOnce: true))
                },
            ])
    }
}

private actor Clerk {
    static let shared = Clerk()

    let factor = 10
}
