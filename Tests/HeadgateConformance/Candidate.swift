import Headgate
import HeadgateTesting
import HeadgateVerification

/// One of Headgate's own publishers, operators, subjects or subscribers, and how to verify it.
struct Candidate {
    typealias Upstream = AnyPublisher<Int, VerificationFailure>

    /// An operator with common types, so that a test can run over all of them.
    struct Operation {
        let needsScheduler: Bool
        let apply: (Upstream, TestScheduler) -> AnyPublisher<String, VerificationFailure>

        init<P: Publisher>(needsScheduler: Bool = false, _ make: @escaping (Upstream, TestScheduler) -> P) {
            self.needsScheduler = needsScheduler
            apply = { upstream, scheduler in
                make(upstream, scheduler)
                    .map { "\($0)" }
                    .mapError { $0 as? VerificationFailure ?? .upstreamFailed }
                    .eraseToAnyPublisher()
            }
        }
    }

    /// The expression that users write.
    let name: String

    let type: Any.Type
    let capabilities: Capabilities

    /// The operator; `nil` for other candidates.
    var operation: Operation?

    /// Verifies it with the verifier's scripts.
    let verify: (Effort) -> Verification

    /// Stresses it with several threads; `nil` for candidates for a single thread.
    var stress: ((StressEffort) -> Verification)?

    /// The same candidate, excused from a rule that it deliberately does not follow.
    func excusing(_ rule: Rule, because reason: String) -> Candidate {
        Candidate(
            name: name, type: type, capabilities: capabilities, operation: operation,
            verify: { verify($0).excusing(rule, because: reason) },
            stress: stress.map { stress in { stress($0).excusing(rule, because: reason) } })
    }
}

// Each of these creates a candidate of the kind that it is named for.
extension Candidate {
    /// - Parameter settle: Triggers the source, if it publishes only when triggered.
    static func publisher<P: Publisher>(
        _ name: String, _ capabilities: Capabilities = [], settle: (() -> Void)? = nil, _ make: @escaping () -> P
    ) -> Candidate {
        Candidate(
            name: name, type: P.self, capabilities: capabilities,
            verify: { HeadgateVerification.verify(publisher: make(), capabilities, effort: $0, settle: settle) },
            stress: { HeadgateVerification.stress(publisher: make(), capabilities, effort: $0, settle: settle ?? {}) })
    }

    static func timedPublisher<P: Publisher>(
        _ name: String, _ capabilities: Capabilities, _ make: @escaping (TestScheduler) -> P
    ) -> Candidate {
        Candidate(
            name: name, type: P.self, capabilities: capabilities,
            verify: { HeadgateVerification.verify(publisher: make, capabilities, effort: $0) },
            stress: { HeadgateVerification.stress(publisher: make, capabilities, effort: $0) })
    }

    static func step<P: Publisher>(
        _ name: String, _ capabilities: Capabilities = .endsWithUpstream, _ make: @escaping (Upstream) -> P
    ) -> Candidate {
        step(name, capabilities, Operation { upstream, _ in make(upstream) }, P.self) {
            HeadgateVerification.verify(operator: { make($0.eraseToAnyPublisher()) }, capabilities, effort: $0)
        }
    }

    /// A step after an upstream that can't fail.
    static func safeStep<P: Publisher>(
        _ name: String, _ capabilities: Capabilities = .finite, _ make: @escaping (AnyPublisher<Int, Never>) -> P
    ) -> Candidate {
        let operation = Operation { upstream, _ in make(upstream.replaceError(with: 0).eraseToAnyPublisher()) }
        return step(name, capabilities, operation, P.self) {
            HeadgateVerification.verify(
                operator: { upstream, _ in make(upstream.eraseToAnyPublisher()) }, upstream: Array(1...24),
                failure: nil,
                capabilities, effort: $0)
        }
    }

    static func timedStep<P: Publisher>(
        _ name: String, _ capabilities: Capabilities = .endsWithUpstream,
        _ make: @escaping (Upstream, TestScheduler) -> P
    ) -> Candidate {
        step(name, capabilities, Operation(needsScheduler: true, make), P.self) {
            HeadgateVerification.verify(operator: { make($0.eraseToAnyPublisher(), $1) }, capabilities, effort: $0)
        }
    }

    /// A step with several upstreams, all of which are driven.
    ///
    /// - Parameter racing: Additional capabilities for stress tests, where threads decide which upstream is first.
    static func join<P: Publisher>(
        _ name: String, _ count: Int, _ capabilities: Capabilities = .endsWithUpstream, racing: Capabilities = [],
        _ make: @escaping ([Upstream]) -> P
    ) -> Candidate {
        let joined = { (upstreams: [TestPublisher<Int, VerificationFailure>], _: TestScheduler) in
            make(upstreams.map { $0.eraseToAnyPublisher() })
        }
        return Candidate(
            name: name, type: P.self, capabilities: capabilities,
            operation: Operation { upstream, _ in make([upstream] + (1..<count).map { numbers(8 - $0) }) },
            verify: { HeadgateVerification.verify(joining: count, joined, capabilities, effort: $0) },
            stress: { HeadgateVerification.stress(joining: count, joined, capabilities.union(racing), effort: $0) })
    }

    private static func step(
        _ name: String, _ capabilities: Capabilities, _ operation: Operation, _ type: Any.Type,
        verify: @escaping (Effort) -> Verification
    ) -> Candidate {
        Candidate(
            name: name, type: type, capabilities: capabilities, operation: operation, verify: verify,
            stress: {
                HeadgateVerification.stress(
                    operator: { operation.apply($0.eraseToAnyPublisher(), $1) }, capabilities, effort: $0)
            })
    }

    static func subject<S: Subject>(_ name: String, _ make: @escaping () -> S) -> Candidate
    where S.Output == Int, S.Failure == VerificationFailure {
        Candidate(
            name: name, type: S.self, capabilities: [.hot, .dropsUnasked],
            verify: { HeadgateVerification.verify(subject: make(), effort: $0) },
            stress: { HeadgateVerification.stress(subject: make(), effort: $0) })
    }

    static func subscriber<S: Subscriber>(
        _ name: String, failure: S.Failure? = nil, _ make: @escaping () -> S
    ) -> Candidate where S.Input == Int {
        Candidate(
            name: name, type: S.self, capabilities: [],
            verify: { _ in
                HeadgateVerification.verify(subscriber: make(), values: Array(1...5), failure: failure)
            },
            stress: {
                HeadgateVerification.stress(subscriber: make(), values: Array(1...5), failure: failure, effort: $0)
            })
    }
}

extension Int {
    /// The number, unless it is the one at which an operator should fail.
    func unlessNine() throws -> Int {
        if self == 9 { throw VerificationFailure.upstreamFailed }
        return self
    }
}
