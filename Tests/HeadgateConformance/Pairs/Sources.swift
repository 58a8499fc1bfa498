import Headgate
import HeadgateTesting
import HeadgateVerification

extension Source {
    static var all: [Source] {
        [
            finite(0), finite(1), finite(2), finite(6), .endless, failing(after: 0), failing(after: 3),
            subject(.finished, 4), subject(.failed, 2), subject(nil, 3), .just,
        ]
    }

    /// The simpler ones, with which a failure is tried again.
    var simpler: [Source] {
        Array(Source.all.filter { $0.isHot == isHot }.prefix { $0.name != name })
    }

    private static func finite(_ count: Int) -> Source {
        let values = Array(0..<count).map { $0 + 1 }
        return Source(
            name: "\(values)", code: "\(count == 0 ? "[Int]()" : "\(values)").publisher\(typed)",
            make: { _ in values.publisher.setFailureType(to: VerificationFailure.self) },
            flow: .list(values))
    }

    private static let typed = ".setFailureType(to: VerificationFailure.self)"

    private static var endless: Source {
        Source(
            name: "(1...)", code: "(1...).publisher\(typed)", isEndless: true,
            make: { drive in
                Counted(drive: drive).publisher.setFailureType(to: VerificationFailure.self)
            },
            flow: .list(1...))
    }

    private static var just: Source {
        Source(
            name: "Just(1)", code: "Just(1)\(typed)",
            make: { _ in Just(1).setFailureType(to: VerificationFailure.self) },
            flow: .list([1]))
    }

    private static func failing(after count: Int) -> Source {
        let values = Array(0..<count).map { $0 + 1 }
        return Source(
            name: "\(values) failing",
            code: "Record<Int, VerificationFailure>(output: \(values), completion: .failure(.upstreamFailed))",
            make: { _ in
                Record<Int, VerificationFailure>(output: values, completion: .failure(.upstreamFailed))
            },
            flow: .list(values, .failed))
    }

    /// A subject that sends a value every ten seconds, beginning with 1, and ends ten seconds after the last.
    private static func subject(_ end: Flow.Event?, _ count: Int) -> Source {
        let events = (0..<count).map { Flow.Event.value($0 + 1) } + (end.map { [$0] } ?? [])
        let moments = events.enumerated().map { Flow.Moment(time: ($0 + 1) * 10 * Flow.second, event: $1) }
        return Source(
            name: "subject \(count) \(end.map { "\($0)" } ?? "open")", code: "subject", isHot: true,
            make: { drive in
                let subject = PassthroughSubject<Int, VerificationFailure>()
                drive.sends = moments.map { ($0.time, $0.event) }
                drive.send = { event in
                    switch event {
                    case .value(let value): subject.send(value)
                    case .finished: subject.send(completion: .finished)
                    case .failed: subject.send(completion: .failure(.upstreamFailed))
                    }
                }
                return subject
            },
            flow: .hot(moments))
    }
}

/// The natural numbers from 1 on, until too many have been taken.
// Chains run on one thread.
struct Counted: Sequence, IteratorProtocol, @unchecked Sendable {
    let drive: Source.Drive
    private var number = 0

    init(drive: Source.Drive) { self.drive = drive }

    mutating func next() -> Int? {
        guard drive.pull() else { return nil }
        number += 1
        return number
    }
}
