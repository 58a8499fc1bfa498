import Headgate
import HeadgateFlow
import HeadgateTesting
import HeadgateVerification

/// What a stage of a flow says behind an operator of the queue before it, which keeps two values and drops the rest.
struct Figures {
    /// The operators behind which the stage says something else, and what.
    private(set) var problems: [String] = []

    private(set) var count = 0

    /// Applies the operators to a hot source behind the queue.
    ///
    /// One value is requested, and the time passes.
    init(of families: [Family<Candidate>]) {
        for candidate in families.flatMap(\.members) {
            // A stage has what is before it for itself.
            guard let operation = candidate.operation, !candidate.name.hasPrefix("stage") else { continue }
            count += 1
            let run = FiguresRun(operation)
            if run.dropped != run.stage.dropped, run.dropped > run.stage.dropped || !candidate.mayDrop {
                problems.append("\(candidate.name): \(run.dropped) dropped, and the stage says \(run.stage.dropped)")
            }
            if run.stage.active > 0, run.kept > run.stage.waiting {
                problems.append("\(candidate.name): \(run.kept) wait, and the stage says \(run.stage.waiting)")
            }
        }
    }

    var report: String {
        let summary = "\(count) operators, \(problems.isEmpty ? "no" : "\(problems.count)") wrong figures"
        return (problems + [summary]).joined(separator: "\n")
    }
}

extension Candidate {
    /// Whether it drops values itself.
    fileprivate var mayDrop: Bool { !capabilities.isDisjoint(with: [.dropsUnasked, .leavesValuesOut, .hot]) }
}

/// Ten values through an operator.
private struct FiguresRun {
    /// How many the queue before the operator has dropped, and how many it keeps.
    var dropped = 0
    var kept = 0
    let stage: HeadgateFlow.Flow.Stage

    init(_ operation: Candidate.Operation) {
        // On one thread.
        nonisolated(unsafe) var dropped = 0
        nonisolated(unsafe) var arrived = 0
        nonisolated(unsafe) var taken = 0
        let scheduler = TestScheduler()
        let flow = HeadgateFlow.Flow("figures", scheduler: scheduler)
        let source = PassthroughSubject<Int, VerificationFailure>()
        let queue = source.handleEvents(receiveOutput: { _ in arrived += 1 })
            .onBackpressureBuffer(limit: 2, whenFull: .dropOldest) { _ in dropped += 1 }
            .handleEvents(receiveOutput: { _ in taken += 1 })
        let subscriber = TestSubscriber<String, VerificationFailure>(.first(1))
        operation.apply(queue.eraseToAnyPublisher(), scheduler).stage("stage", in: flow).subscribe(subscriber)
        for number in 0..<10 {
            source.send(number)
            scheduler.advance(by: 1)
        }
        stage = flow.snapshot.stages[0]
        (self.dropped, kept) = (dropped, arrived - dropped - taken)
        subscriber.cancel()
    }
}
