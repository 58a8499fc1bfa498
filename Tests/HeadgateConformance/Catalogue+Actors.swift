import Headgate
import HeadgateTesting

/// Operators that deliver on an actor.
extension Candidate {
    static var actors: Family<Candidate> {
        // One for each row, which may be verified at the same time: what runs at once finds its actor idle.
        let (clerk, mapping) = (Clerk.receiving, Clerk.mapping)
        return Family(
            "Actors",
            [
                .step("receive(on: actor)") {
                    $0.receive(on: clerk).tasks(on: TestExecutor(runsAtOnce: true))
                },
                .step("receive(on: actor) with closures of the actor") {
                    $0.receive(on: mapping)
                        .map { clerk, value in value + clerk.factor }
                        .filter { clerk, value in value != clerk.factor }
                        .compactMap { _, value in value }
                        .tasks(on: TestExecutor(runsAtOnce: true))
                },
            ])
    }
}

private actor Clerk {
    // The streams do not retain them.
    static let receiving = Clerk()
    static let mapping = Clerk()

    let factor = 10
}
