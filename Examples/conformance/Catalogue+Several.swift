import Headgate
import HeadgateTesting

/// What has several upstreams or subscribers, or a place to keep values.
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
        let b = Record<Int, VerificationFailure>(output: [100, 200, 300, 400], completion: .finished)
        let (c, d, e, f, g, h) = (numbers(3), numbers(1), numbers(0), numbers(2), numbers(5), numbers(2))
        return Family(
            "Joining",
            [
                .step("append(7, 8)") { $0.append(7, 8) },
                .step("append(b)") { $0.append(b) },
                .step("prepend(7, 8)") { $0.prepend(7, 8) },
                .step("prepend(b)") { $0.prepend(b) },
                .step("prepend(7).append(8).prepend(b)") { $0.prepend(7).append(8).prepend(b) },
                .step("merge(with: b)", .joins) { $0.merge(with: b) },
                .step("merge(with: b, c)", .joins) { $0.merge(with: b, c) },
                .step("merge(with: b, c, d)", .joins) { $0.merge(with: b, c, d) },
                .step("merge(with: b, …, e)", .joins) { $0.merge(with: b, c, d, e) },
                .step("merge(with: b, …, f)", .joins) { $0.merge(with: b, c, d, e, f) },
                .step("merge(with: b, …, g)", .joins) { $0.merge(with: b, c, d, e, f, g) },
                .step("merge(with: b, …, h)", .joins) { $0.merge(with: b, c, d, e, f, g, h) },
                .step("MergeMany", .joins) { Publishers.MergeMany([$0, c, d, e]) },
            ])
    }

    static var combining: Family<Candidate> {
        let (b, c, d) = (numbers(5), numbers(4), numbers(6))
        return Family(
            "Combining",
            [
                .step("zip(b)", .finite) { $0.zip(b) },
                .step("zip(b, c)", .finite) { $0.zip(b, c) },
                .step("zip(b, c, d)", .finite) { $0.zip(b, c, d) },
                .step("share.zip(b)", [.finite, .dropsUnasked, .merges]) { $0.share().zip(b) { $0 + $1 } },
                .step("combineLatest(b)", .gathers) { $0.combineLatest(b) },
                .step("combineLatest(b, c)", .gathers) { $0.combineLatest(b, c) },
                .step("combineLatest(b, c, d)", .gathers) { $0.combineLatest(b, c, d) },
                .step("b.combineLatest", .gathers) { b.combineLatest($0) },
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
    /// Values of several upstreams are put together as they come.
    fileprivate static let joins: Capabilities = [.endsWithUpstream, .merges]

    /// Which values are put together depends on when they are asked for.
    static let gathers: Capabilities = [.endsWithUpstream, .merges, .dropsUnasked]
}
