import Foundation
import HeadgateVerification

// A chain as a program.
extension Chain {
    /// A Swift program that runs the chain and prints what comes out.
    var code: String {
        var lines = ["import Headgate", "import HeadgateTesting", ""]
        lines.append("let time = TestScheduler()")
        if source.isHot { lines.append("let subject = PassthroughSubject<Int, VerificationFailure>()") }
        var previous = source.code
        var body: [String] = []
        for (number, stage) in stages.enumerated() {
            // Each name stands for what the stage before it publishes.
            let up = number == 0 ? "source" : "stage\(number)"
            body.append("let \(up) = \(previous).eraseToAnyPublisher()")
            previous =
                stage.location.expression(upstream: up).map { $0 + stage.location.suffix }
                ?? "\(up) /* \(stage.name) */"
        }
        if body.joined().appending(previous).contains("numbers(") {
            lines += [
                "func numbers(_ count: Int) -> AnyPublisher<Int, VerificationFailure> {",
                "    (1...).prefix(count).publisher.setFailureType(to: VerificationFailure.self).eraseToAnyPublisher()",
                "}",
            ]
        }
        if body.joined().appending(previous).contains("number") { lines.append(Chain.numbering) }
        lines += body
        lines.append("let subscriber = TestSubscriber<Int, VerificationFailure>(\(pace.script))")
        lines.append("\(previous).subscribe(subscriber)")
        lines += driving
        lines.append("print(subscriber.values, subscriber.events.last!)")
        return lines.joined(separator: "\n")
    }

    private static let numbering = "extension Sequence<Int> { var number: Int { reduce(1) { $0 &* 37 &+ $1 } } }"

    /// The lines that let time pass, send and request.
    private var driving: [String] {
        let wait = "time.advance(by: 8)"
        let isPatient = !pace.demand.isSteady
        let request: [String] =
            switch pace.demand {
            case .unlimitedLater: ["subscriber.request(.unlimited)"]
            case .oneByOne:
                [
                    "for _ in 0..<\(Chain.rounds) where subscriber.outstanding == .none { subscriber.request(1); \(wait) }"
                ]
            case .bursts:
                [
                    "for _ in 0..<\(Chain.rounds) where subscriber.outstanding == .none { subscriber.request(3); \(wait) }"
                ]
            default: []
            }
        if !source.isHot { return [wait] + request + (isPatient ? [wait] : []) }
        var lines = ["time.advance(by: 1)"] + request
        let drive = Source.Drive(limit: 0)
        _ = source.make(drive)
        for (moment, event) in drive.sends {
            lines.append("time.advance(to: TestTime.zero.advanced(by: \(moment / Flow.second)))")
            switch event {
            case .value(let value): lines.append("subject.send(\(value))")
            case .finished: lines.append("subject.send(completion: .finished)")
            case .failed: lines.append("subject.send(completion: .failure(.upstreamFailed))")
            }
            if pace.demand == .oneByOne || pace.demand == .bursts { lines += request }
        }
        return lines + [wait] + (pace.demand == .unlimitedLater ? [] : request)
    }
}

extension Pace {
    /// The script of a `TestSubscriber` with this pace.
    fileprivate var script: String {
        let reaction =
            switch demand {
            case .returned: ".answer(.max(1))"
            case .requestedInside: ".request(.max(1))"
            default: ".nothing"
            }
        let initial =
            switch demand {
            case .unlimited: ".unlimited"
            case .returned, .requestedInside: ".max(1)"
            case .bursts: ".max(3)"
            case .unlimitedLater, .oneByOne, .none: ".none"
            }
        let reactions = Array(repeating: reaction, count: cancelsAfter - 1) + [".cancel"]
        return "DemandScript(atSubscription: \(initial), reactions: [\(reactions.joined(separator: ", "))])"
    }
}

extension Stage.Location {
    /// The text of the closure that makes the operator, with names for its parameters; `nil` without the file.
    func expression(upstream: String) -> String? {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard line <= lines.count else { return nil }
        let rest = lines[(line - 1)...].joined(separator: "\n")
        guard let call = rest.range(of: ".stage("), let start = rest[call.upperBound...].range(of: "{") else {
            return nil
        }
        var depth = 1
        let end = rest[start.upperBound...].firstIndex { character in
            depth += character == "{" ? 1 : character == "}" ? -1 : 0
            return depth == 0
        }
        guard let end, let body = rest[start.upperBound..<end].range(of: " in") else { return nil }
        return rest[body.upperBound..<end]
            .replacing(/\bup\b/.wordBoundaryKind(.simple), with: upstream)
            .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .joined(separator: "\n    ")
    }
}
