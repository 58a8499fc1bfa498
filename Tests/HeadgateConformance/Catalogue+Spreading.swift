import Headgate
import HeadgateTesting
import HeadgateVerification

/// Broadcasting at one pace, streams made of streams, and resources from publishers.
extension Candidate {
    static var spreading: Family<Candidate> {
        Family(
            "Spreading and growing",
            [
                .step("broadcast") { $0.broadcast() },
                .step("broadcast(limit: 1)") { $0.broadcast(limit: 1) },
                .step("partition(limit: 1)") { $0.partition(limit: 1) { $0 % 3 != 0 }.matches },
                .step("expand(.breadthFirst)", .finite) {
                    $0.replaceError(with: 40).setFailureType(to: VerificationFailure.self)
                        .expand(.breadthFirst, limit: 100, whenFull: .skip) { numbers($0 < 4 ? $0 : 0) }
                },
                .step("expand(.breadthFirst), full") {
                    $0.expand(limit: 1, whenFull: .fail { .upstreamFailed }) { numbers($0 < 9 ? 1 : 0) }
                },
                .step("expand(.depthFirst)") {
                    $0.expand(.depthFirst, limit: 3, whenFull: .skip) { numbers($0 < 4 ? $0 : 0) }
                },
                .step("switchOnFirst") { $0.switchOnFirst { first, all in all.map { $0 + first } } },
                .step("switchOnFirst to something else", .finite) {
                    $0.switchOnFirst { first, _ in numbers(first % 5) }
                },
                .step("switchOnFirst to a part", .finite) { $0.switchOnFirst { _, all in all.prefix(2) } },
                .step("usingWhen") { upstream in
                    Publishers.usingWhen(acquire: numbers(3)) { _ in
                        upstream
                    } release: { _, _ in
                        numbers(2)
                    }
                },
                .step("usingWhen, acquiring", .finite) { upstream in
                    Publishers.usingWhen(acquire: upstream) {
                        numbers($0 % 5)
                    } release: { _, _ in
                        numbers(0)
                    }
                }
                .excusing(
                    .cancelReachesUpstream, because: "what an acquisition hands out at that moment would be lost"),
            ])
    }
}
