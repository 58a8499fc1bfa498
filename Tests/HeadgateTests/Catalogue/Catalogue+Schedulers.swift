import Headgate
import TestSupport

/// The operators that have a scheduler, on one that does everything at once and on one whose clock the test moves.
extension Catalogue {
    static var immediate: [CataloguedOperator] {
        [
            CataloguedOperator("receive(on:) at once") { $0.receive(on: ImmediateScheduler.shared) },
            CataloguedOperator("subscribe(on:) at once") { $0.subscribe(on: ImmediateScheduler.shared) },
            CataloguedOperator("delay at once") { $0.delay(for: 2, scheduler: ImmediateScheduler.shared) },
            CataloguedOperator("debounce at once") { $0.debounce(for: 2, scheduler: ImmediateScheduler.shared) },
            CataloguedOperator("throttle to the latest, at once") {
                $0.throttle(for: 2, scheduler: ImmediateScheduler.shared, latest: true)
            },
            CataloguedOperator("timeout at once") { $0.timeout(2, scheduler: ImmediateScheduler.shared) },
            CataloguedOperator("collect(byTimeOrCount), at once") {
                $0.collect(.byTimeOrCount(ImmediateScheduler.shared, 2, 2))
            },
        ]
    }

    static var clocked: [CataloguedOperator] {
        [
            CataloguedOperator("receive(on:)") { $0.receive(on: clock) },
            CataloguedOperator("subscribe(on:)") { $0.subscribe(on: clock) },
            CataloguedOperator("there and back") { $0.subscribe(on: clock).receive(on: clock) },
            CataloguedOperator("delay") { $0.delay(for: 2, scheduler: clock) },
            CataloguedOperator("debounce") { $0.debounce(for: 2, scheduler: clock) },
            CataloguedOperator("throttle to the latest") { $0.throttle(for: 2, scheduler: clock, latest: true) },
            CataloguedOperator("throttle to the first") { $0.throttle(for: 2, scheduler: clock, latest: false) },
            CataloguedOperator("timeout") { $0.timeout(2, scheduler: clock) },
            CataloguedOperator("timeout with an error") {
                $0.timeout(2, scheduler: clock, customError: { TestFailure.second })
            },
            CataloguedOperator("measureInterval") { $0.measureInterval(using: clock) },
            CataloguedOperator("collect(byTime)") { $0.collect(.byTime(clock, 2)) },
            CataloguedOperator("collect(byTimeOrCount)") { $0.collect(.byTimeOrCount(clock, 2, 2)) },
        ]
    }
}
