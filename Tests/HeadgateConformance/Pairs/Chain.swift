import Headgate
import HeadgateEngine
import HeadgateTesting
import HeadgateVerification

/// A source, operators, and a subscriber with its pace.
struct Chain {
    var source: Source
    var stages: [Stage]
    var pace: Pace

    var form = Form.erased

    /// How operators meet each other.
    enum Form: String, CaseIterable {
        /// Through `AnyPublisher`.
        case erased

        /// With their own types.
        case unerased

        /// Through publishers that watch what is requested and delivered.
        case watched
    }

    /// The forms that the operators have.
    static func forms(of stages: [Stage]) -> [Form] {
        stages.allSatisfy { $0.unerased != nil } ? Form.allCases : [.erased, .watched]
    }

    /// The complaint about a chain that does not stop.
    static let endlessly = "takes values without end"

    /// The number of elements of an endless source after which a run counts as one that does not end.
    static let pullLimit = 2000

    /// The number of elements that the model may read.
    static let modelLimit = 300

    /// The number of times that more is requested.
    static let rounds = 12

    /// Longer than what operators wait for between two events.
    private static let patience = TestTime.Stride.seconds(20)

    var name: String {
        ([source.name] + stages.map(\.name)).joined(separator: " | ")
            + " | \(pace.demand.rawValue), cancels after \(pace.cancelsAfter)\(form == .erased ? "" : ", \(form)")"
    }

    /// Runs it; `nil` if nothing is wrong, or nothing can be said.
    func complaint() -> String? {
        let expected = Expectation(self)
        // Without an end, as it should be, unless nothing is requested.
        let requestsFirst = stages.contains { !$0.traits.isDisjoint(with: [.requestsFirst, .requestsAll]) }
        if expected.isEndless, pace.demand != .none || requestsFirst { return nil }
        let drive = Source.Drive(limit: Chain.pullLimit)
        let watch = form == .watched ? Watch(stages) : nil
        let stream = stream(drive, watch)
        let subscriber = PacedSubscriber(pace)
        run(stream, subscriber, drive)
        defer { if !subscriber.isCancelled { subscriber.cancel() } }
        if drive.isExhausted {
            // Other values than the model's may all be dropped.
            let mayBeDropped = !expected.isExact && stages.contains { $0.mayDropEverything }
            return mayTakeEverything || mayBeDropped ? nil : Chain.endlessly
        }
        return subscriber.breach ?? watch?.breach ?? expected.difference(from: subscriber)
    }

    private func stream(_ drive: Source.Drive, _ watch: Watch?) -> Stage.Stream {
        let source = source.make(drive)
        if form == .unerased {
            var stream: any Publisher<Int, VerificationFailure> & Sendable = source
            for stage in stages {
                if let unerased = stage.unerased { stream = unerased.apply(stream) }
            }
            return stream.erased
        }
        func edge(_ stream: Stage.Stream) -> Stage.Stream { watch.map { stream.watched($0) } ?? stream }
        return stages.reduce(edge(source.erased)) { edge($1.apply($0, drive.scheduler)) }
    }

    /// Whether an operator may request everything of what comes before it.
    private var mayTakeEverything: Bool {
        stages.indices.contains { index in
            let (traits, after) = (stages[index].traits, stages[(index + 1)...])
            let isLimited = !pace.demand.isUnlimited || after.contains { $0.traits.contains(.limits) }
            if traits.contains(.takesAllUnlessItWaits), isLimited {
                return !traitsBefore(index).contains(.waitsForDemand)
            }
            if traits.contains(.takesAllUnlessItAnswers) { return !traitsBefore(index).contains(.answersDemandAtOnce) }
            // What is shared is read while operators after it connect, which request from it at once, or not yet.
            if traits.contains(.sendsByItself) {
                return after.count > 1
                    || after.contains {
                        traits.contains(.requestsFirst) || !$0.traits.isDisjoint(with: [.paced, .requestsFirst])
                    }
            }
            // So is what may come while operators connect: an endless source is read for ever, as by Combine's buffer.
            if mayLoseWhileConnecting(index) { return true }
            // So is what is discarded, because the end comes without demand.
            return traits.contains(.discards) && !after.isEmpty
        }
    }

    /// Whether an operator reads everything, though something is requested of it by and by: what it has read waits in it,
    /// and a failure comes out before that.
    func readsAhead(_ index: Int) -> Bool {
        stages[index].traits.contains(.takesAllUnlessItWaits) && !traitsBefore(index).contains(.waitsForDemand)
    }

    /// Whether a result requests nothing before it has been requested.
    func waits(_ index: Int) -> Bool {
        let traits = stages[index].traits
        return traits.isSuperset(of: .reduces) && !traits.contains(.discards)
            && traitsBefore(index).contains(.startsOnDemand)
    }

    /// Whether an operator may drop or combine values that come while the operators after it connect.
    ///
    /// It requests at once of what isn't known to begin on demand: what a subject sends, or a publisher that is attached
    /// later, before a late request would be lost otherwise. What waits for demand then comes at once, too.
    func mayLoseWhileConnecting(_ index: Int) -> Bool {
        index > 0 && index < stages.count - 1 && stages[index].traits.isSuperset(of: [.paced, .requestsFirst])
            && !traitsBefore(index).contains(.startsOnDemand)
    }

    /// What an operator knows of how the values arrive that come before it.
    func traitsBefore(_ index: Int) -> SubscriptionTraits {
        var before = self
        before.stages = Array(stages[..<index])
        let drive = Source.Drive(limit: Chain.pullLimit)
        let question = TraitsSubscriber()
        before.stream(drive, nil).subscribe(question)
        return question.traits
    }

    /// Subscribes, and lets everything happen that does.
    func run(_ stream: Stage.Stream, _ subscriber: PacedSubscriber, _ drive: Source.Drive) {
        stream.receive(subscriber: subscriber)
        if pace.demand == .unlimitedLater, subscriber.hasSubscription { _ = subscriber.requestMore() }
        drive.scheduler.advance(by: source.isHot ? 1 : Chain.patience)
        requestMore(subscriber, drive, letsTimePass: !source.isHot)
        for (time, event) in drive.sends where !subscriber.isCancelled && subscriber.end == nil {
            drive.scheduler.advance(to: TestTime.zero.advanced(by: .seconds(time / Flow.second)))
            drive.send?(event)
            requestMore(subscriber, drive, letsTimePass: false)
        }
        drive.scheduler.advance(by: 100)
        requestMore(subscriber, drive, letsTimePass: true)
    }

    private func requestMore(_ subscriber: PacedSubscriber, _ drive: Source.Drive, letsTimePass: Bool) {
        for _ in 0..<Chain.rounds where subscriber.requestMore() {
            if letsTimePass { drive.scheduler.advance(by: Chain.patience) }
        }
    }
}

extension Publisher where Self: Sendable, Output == Int, Failure == VerificationFailure {
    fileprivate var erased: Stage.Stream { eraseToAnyPublisher() }
}

/// Looks at a subscription, and cancels it.
private final class TraitsSubscriber: Subscriber {
    typealias Input = Int
    typealias Failure = VerificationFailure

    private(set) var traits: SubscriptionTraits = []

    func receive(subscription: any Subscription) {
        traits = ConduitSubscription.holding(subscription).traits
        subscription.cancel()
    }

    func receive(_ value: Int) -> Subscribers.Demand { .none }

    func receive(completion: Subscribers.Completion<VerificationFailure>) {}
}
