import Headgate
import HeadgateTesting
import HeadgateVerification

/// An operator applied to a publisher whose type is known: a sequence, a `Just`, or what another operator makes.
///
/// Several operators in a row are then joined in other ways than behind `eraseToAnyPublisher()`.
protocol UnerasedStage {
    func apply(_ up: some Publisher<Int, VerificationFailure> & Sendable) -> Publishing
}

extension Stage {
    /// The same operator for publishers of any type; `nil` for most.
    var unerased: (any UnerasedStage)? { Stage.unerased[name] }

    /// By the names of the stages that are the same.
    private static var unerased: [String: any UnerasedStage] {
        [
            "map": Map(), "filter": Filter(), "scan": Scan(), "prefix(3)": Prefix(), "append(7, 8)": Append(),
            "prepend(7, 8)": Prepend(), "merge(with: Empty())": MergeWithNothing(), "zip(b)": Zip(),
            "combineLatest(b)": CombineLatest(), "flatMap": FlatMap(), "flatMap to Just": FlatMapToJust(),
            "concatMap to Just": ConcatMap(), "map.switchToLatest": Switch(), "catch": Catch(), "retry(1)": Retry(),
            "prefetch(4)": Prefetch(), "share": Share(), "receive(on:), at once": ReceiveOn(), "collect(3)": Collect(),
        ]
    }
}

typealias Publishing = any Publisher<Int, VerificationFailure> & Sendable

private struct Map: UnerasedStage {
    func apply(_ up: some Publisher<Int, VerificationFailure> & Sendable) -> Publishing { up.map { $0 + 10 } }
}

private struct Filter: UnerasedStage {
    func apply(_ up: some Publisher<Int, VerificationFailure> & Sendable) -> Publishing {
        up.filter { $0 % 2 == 0 }
    }
}

private struct Scan: UnerasedStage {
    func apply(_ up: some Publisher<Int, VerificationFailure> & Sendable) -> Publishing {
        up.scan(0) { $0 &+ $1 }
    }
}

private struct Prefix: UnerasedStage {
    func apply(_ up: some Publisher<Int, VerificationFailure> & Sendable) -> Publishing { up.prefix(3) }
}

private struct Append: UnerasedStage {
    func apply(_ up: some Publisher<Int, VerificationFailure> & Sendable) -> Publishing { up.append(7, 8) }
}

private struct Prepend: UnerasedStage {
    func apply(_ up: some Publisher<Int, VerificationFailure> & Sendable) -> Publishing { up.prepend(7, 8) }
}

private struct MergeWithNothing: UnerasedStage {
    func apply(_ up: some Publisher<Int, VerificationFailure> & Sendable) -> Publishing {
        up.merge(with: Empty())
    }
}

private struct Zip: UnerasedStage {
    func apply(_ up: some Publisher<Int, VerificationFailure> & Sendable) -> Publishing {
        up.zip([1, 2, 3].publisher.setFailureType(to: VerificationFailure.self)) { [$0, $1].number }
    }
}

private struct CombineLatest: UnerasedStage {
    func apply(_ up: some Publisher<Int, VerificationFailure> & Sendable) -> Publishing {
        up.combineLatest([1, 2, 3].publisher.setFailureType(to: VerificationFailure.self)) { [$0, $1].number }
    }
}

private struct FlatMap: UnerasedStage {
    func apply(_ up: some Publisher<Int, VerificationFailure> & Sendable) -> Publishing {
        up.flatMap { [$0, $0 &+ 10].publisher }
    }
}

private struct FlatMapToJust: UnerasedStage {
    func apply(_ up: some Publisher<Int, VerificationFailure> & Sendable) -> Publishing {
        up.flatMap { Just($0) }
    }
}

private struct ConcatMap: UnerasedStage {
    func apply(_ up: some Publisher<Int, VerificationFailure> & Sendable) -> Publishing {
        up.concatMap { Just($0) }
    }
}

private struct Switch: UnerasedStage {
    func apply(_ up: some Publisher<Int, VerificationFailure> & Sendable) -> Publishing {
        up.map { (1...).prefix($0 & 3).publisher.setFailureType(to: VerificationFailure.self) }.switchToLatest()
    }
}

private struct Catch: UnerasedStage {
    func apply(_ up: some Publisher<Int, VerificationFailure> & Sendable) -> Publishing {
        up.catch { _ in [1, 2].publisher.setFailureType(to: VerificationFailure.self) }
    }
}

private struct Retry: UnerasedStage {
    func apply(_ up: some Publisher<Int, VerificationFailure> & Sendable) -> Publishing { up.retry(1) }
}

private struct Prefetch: UnerasedStage {
    func apply(_ up: some Publisher<Int, VerificationFailure> & Sendable) -> Publishing { up.prefetch(4) }
}

private struct Share: UnerasedStage {
    func apply(_ up: some Publisher<Int, VerificationFailure> & Sendable) -> Publishing { up.share() }
}

private struct ReceiveOn: UnerasedStage {
    func apply(_ up: some Publisher<Int, VerificationFailure> & Sendable) -> Publishing {
        up.receive(on: ImmediateScheduler.shared)
    }
}

private struct Collect: UnerasedStage {
    func apply(_ up: some Publisher<Int, VerificationFailure> & Sendable) -> Publishing {
        up.collect(3).map(\.number)
    }
}
