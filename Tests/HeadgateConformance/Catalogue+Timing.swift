import Headgate
import HeadgateTesting
import HeadgateVerification

/// Operators that use a scheduler: one that the verifier advances, or an immediate one.
extension Candidate {
    static var scheduling: Family<Candidate> {
        Family(
            "Scheduling",
            [
                .timedStep("receive(on:)") { $0.receive(on: $1) },
                .timedStep("subscribe(on:)") { $0.subscribe(on: $1) },
                .timedStep("subscribe(on:).receive(on:)") { $0.subscribe(on: $1).receive(on: $1) },
                .step("receive(on:), at once") { $0.receive(on: now) },
                .step("subscribe(on:), at once") { $0.subscribe(on: now) },
            ])
    }

    static var timing: Family<Candidate> {
        let drops: Capabilities = [.endsWithUpstream, .dropsUnasked]
        return Family(
            "Timing",
            [
                .timedStep("delay(for:)") { $0.delay(for: 2, scheduler: $1) },
                .timedStep("debounce(for:)", drops) { $0.debounce(for: 2, scheduler: $1) },
                .timedStep("throttle(for:latest: true)", drops) { $0.throttle(for: 2, scheduler: $1, latest: true) },
                .timedStep("throttle(for:latest: false)", drops) { $0.throttle(for: 2, scheduler: $1, latest: false) },
                .timedStep("timeout", [.endsWithUpstream, .endsByTime]) { $0.timeout(2, scheduler: $1) },
                .timedStep("timeout(customError:)", [.endsWithUpstream, .endsByTime]) {
                    $0.timeout(2, scheduler: $1, customError: { .upstreamFailed })
                },
                .timedStep("measureInterval(using:)") { $0.measureInterval(using: $1) },
                .timedStep("collect(.byTime)", .gathers) { $0.collect(.byTime($1, 2)) },
                .timedStep("collect(.byTimeOrCount)", .gathers) { $0.collect(.byTimeOrCount($1, 2, 2)) },
                .step("delay(for:), at once") { $0.delay(for: 2, scheduler: now) },
                .timedStep("debounce(scheduler:_:)", drops) { upstream, time in
                    upstream.debounce(scheduler: time) { .seconds($0 % 3) }
                },
                .step("debounce(for:), at once", drops) { $0.debounce(for: 2, scheduler: now) },
                .step("throttle(for:), at once", drops) { $0.throttle(for: 2, scheduler: now, latest: true) },
                .step("collect(.byTimeOrCount), at once", .gathers) {
                    $0.collect(.byTimeOrCount(now, 2, 2))
                },
            ])
    }

    private static var now: ImmediateScheduler { .shared }
}
