import Headgate
import HeadgateTesting

extension Workload {
    /// Operators that change nothing.
    static var observing: [Workload] {
        [
            pulled("breakpoint", reach: 137) { $0.breakpoint(receiveOutput: { $0 < 0 }) },
            pulled("breakpoint-on-error", reach: 54) { $0.breakpointOnError() },
            pulled("handle-events", reach: 131) { $0.handleEvents(receiveOutput: { Opaque.add($0) }) },
            pulled("print", reach: 7800) { $0.print(to: Nowhere()) },
            pulled("carrying", reach: 435) { $0.carrying(Local.$value) },
            pulled("checkpoint", reach: 55) { $0.checkpoint("here") },
            pulled("on-stall", reach: 100) { $0.onStall(for: .seconds(1), scheduler: TestScheduler()) { _ in } },
            pulled("on-undeliverable", reach: 81) { $0.onUndeliverable { _ in } },
            pulled("tap", reach: 92) { $0.tap(Observer()) },
        ]
    }

    private struct Nowhere: TextOutputStream {
        func write(_ string: String) {}
    }

    private enum Local {
        @TaskLocal static var value = 0
    }

    private struct Observer: TapObserver {}
}
