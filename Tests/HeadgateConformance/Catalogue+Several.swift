import Headgate
import HeadgateTesting
import HeadgateVerification

/// Operators with several upstreams or subscribers, or with a buffer.
extension Candidate {
    static var recovering: Family<Candidate> {
        Family(
            "Recovering",
            [
                .step("catch", .finite) { $0.catch { _ in numbers(3) } },
                .step("tryMap.catch", .finite) { $0.tryMap { try $0.unlessNine() }.catch { _ in Just(7) } },
                .step("tryCatch", .finite) { $0.tryCatch { _ in numbers(3) } },
                .step("tryCatch that throws") { $0.tryCatch { error -> Upstream in throw error } },
                .step("retry(2)") { $0.retry(2) },
            ])
    }

    static var joining: Family<Candidate> {
        Family(
            "Joining",
            [
                .step("append(7, 8)") { $0.append(7, 8) },
                .join("append(b)", 2) { $0[0].append($0[1]) },
                .step("prepend(7, 8)") { $0.prepend(7, 8) },
                .join("prepend(b)", 2) { $0[0].prepend($0[1]) },
                .join("prepend(7).append(8).prepend(b)", 2) { $0[0].prepend(7).append(8).prepend($0[1]) },
                .join("merge(with: b)", 2, .joins) { $0[0].merge(with: $0[1].map { $0 }) },
                .join("merge(with: b, c)", 3, .joins) { $0[0].merge(with: $0[1], $0[2]) },
                .join("merge(with: b, c, d)", 4, .joins) { $0[0].merge(with: $0[1], $0[2], $0[3]) },
                .join("merge(with: b, …, e)", 5, .joins) { $0[0].merge(with: $0[1], $0[2], $0[3], $0[4]) },
                .join("merge(with: b, …, f)", 6, .joins) { $0[0].merge(with: $0[1], $0[2], $0[3], $0[4], $0[5]) },
                .join("merge(with: b, …, g)", 7, .joins) {
                    $0[0].merge(with: $0[1], $0[2], $0[3], $0[4], $0[5], $0[6])
                },
                .join("merge(with: b, …, h)", 8, .joins) {
                    $0[0].merge(with: $0[1], $0[2], $0[3], $0[4], $0[5], $0[6], $0[7])
                },
                .join("MergeMany", 4, .joins) { Publishers.MergeMany($0) },
            ])
    }

    static var combining: Family<Candidate> {
        let b = numbers(5)
        return Family(
            "Combining",
            [
                .join("zip(b)", 2) { $0[0].zip($0[1]) },
                .join("zip(b, c)", 3) { $0[0].zip($0[1], $0[2]) },
                .join("zip(b, c, d)", 4) { $0[0].zip($0[1], $0[2], $0[3]) },
                .step("share.zip(b)", [.finite, .dropsUnasked, .merges]) { $0.share().zip(b) { $0 + $1 } },
                .join("combineLatest(b)", 2, .gathers) { $0[0].combineLatest($0[1]) },
                .join("combineLatest(b, c)", 3, .gathers) { $0[0].combineLatest($0[1], $0[2]) },
                .join("combineLatest(b, c, d)", 4, .gathers) { $0[0].combineLatest($0[1], $0[2], $0[3]) },
            ])
    }

    static var flattening: Family<Candidate> {
        Family(
            "Flattening",
            [
                .step("flatMap", .joins) { $0.flatMap { numbers($0 % 5) } },
                .step("flatMap(maxPublishers: .max(1))") { $0.flatMap(maxPublishers: .max(1)) { numbers($0 % 5) } },
                .step("flatMap(maxPublishers: .max(2))", .joins) {
                    $0.flatMap(maxPublishers: .max(2)) { numbers($0 % 3) }
                },
                .step("flatMap to Just", .joins) {
                    $0.flatMap { Just($0).setFailureType(to: VerificationFailure.self) }
                },
                .step("flatMap(failures: .afterValues)", .joins) {
                    $0.flatMap(failures: .afterValues) { numbers($0 % 5) }
                },
                .step("flatMap to failures", .joins) { $0.flatMap { $0 < 9 ? numbers(1) : failure } },
                .step("switchToLatest", [.endsWithUpstream, .dropsUnasked]) {
                    $0.map { numbers($0 % 4) }.switchToLatest()
                },
                .step("switchToLatest, endless", [.fails, .dropsUnasked]) {
                    $0.map { numbers($0 % 4).append(silence) }.switchToLatest()
                },
            ])
    }

    private static var failure: Upstream { Fail(error: .upstreamFailed).eraseToAnyPublisher() }

    static var buffering: Family<Candidate> {
        let drops: Capabilities = [.endsWithUpstream, .dropsUnasked]
        return Family(
            "Buffering",
            [
                buffer("buffer(.keepFull, .dropNewest)", .endsWithUpstream, .keepFull, .dropNewest),
                buffer("buffer(.keepFull, .dropOldest)", .endsWithUpstream, .keepFull, .dropOldest),
                buffer("buffer(.keepFull, .customError)", .endsWithUpstream, .keepFull, .customError(overflow)),
                buffer("buffer(.byRequest, .dropNewest)", drops, .byRequest, .dropNewest),
                buffer("buffer(.byRequest, .dropOldest)", drops, .byRequest, .dropOldest),
                buffer("buffer(.byRequest, .customError)", drops, .byRequest, .customError(overflow)),
            ])
    }

    private static func overflow() -> VerificationFailure { .upstreamFailed }

    private static func buffer(
        _ name: String, _ capabilities: Capabilities, _ prefetch: Publishers.PrefetchStrategy,
        _ whenFull: Publishers.BufferingStrategy<VerificationFailure>
    ) -> Candidate {
        .step(name, capabilities) { $0.buffer(size: 2, prefetch: prefetch, whenFull: whenFull) }
    }

    static var sharing: Family<Candidate> {
        Family(
            "Sharing",
            [
                .step("share", [.endsWithUpstream, .dropsUnasked]) { $0.share() },
                .step("shareReplay(capacity: 2)") { $0.shareReplay(capacity: 2) },
                .step("multicast.autoconnect", [.endsWithUpstream, .dropsUnasked]) {
                    $0.multicast { PassthroughSubject() }.autoconnect()
                },
                .step("multicast(subject:).autoconnect", [.endsWithUpstream, .dropsUnasked]) {
                    $0.multicast(subject: PassthroughSubject()).autoconnect()
                },
                .safeStep("makeConnectable.autoconnect", [.finite, .dropsUnasked]) {
                    $0.makeConnectable().autoconnect()
                },
            ])
    }
}

extension Capabilities {
    /// Values of several upstreams are combined as they arrive.
    fileprivate static let joins: Capabilities = [.endsWithUpstream, .merges]

    /// The combination of values depends on when they are requested.
    static let gathers: Capabilities = [.endsWithUpstream, .merges, .dropsUnasked]
}
