import HeadgateCombine
import HeadgateEngine
import HeadgateCore
import HeadgateTesting

/// Repeated work that is cancelled in its own tick, time that jumps, and tolerance.
extension SchedulerFixture {
    /// Repeated work that cancels itself does not run again, even if a jump of time has made further runs due.
    func probeCancelInside(run number: Int, jumps: Bool) -> Finding? {
        let token = Guarded<(any Cancellable)?>(nil)
        let hasCancelled = Guarded(false)
        let work = piece(1) {
            guard self.runs.count == number, let token = token.withLock({ $0 }) else { return }
            self.noteCancel()
            token.cancel()
            hasCancelled.withLock { $0 = true }
        }
        let cancellable = scheduler.schedule(after: moment(1), interval: unit, serially(work))
        token.withLock { $0 = cancellable }
        if jumps { jump(6) } else { pass(6) }
        pass(1)
        let count = runs.count
        // Cancels again if the first call had no effect.
        token.withLock { $0.take() }?.cancel()
        if !hasCancelled.withLock({ $0 }) || count <= number { return nil }
        return broken(
            .cancelledWorkStops, "work that cancels itself in run \(number) ran \(count) times",
            script: "schedule 1 for every unit; \(jumps ? "six units pass at once; " : "")cancel in its run \(number)")
    }

    /// Repeated work that other work cancels does not run again, even in the same tick.
    func probeCancelByRepeatedWork(jumps: Bool) -> Finding? {
        let token = Guarded<(any Cancellable)?>(nil)
        let cancelledAt = Guarded<Int?>(nil)
        let canceller = piece(1) {
            let runs = self.runs
            guard runs.count(where: { $0.piece == 1 }) == 2, let token = token.withLock({ $0 }) else { return }
            self.noteCancel()
            token.cancel()
            cancelledAt.withLock { $0 = runs.count }
        }
        let first = scheduler.schedule(after: moment(1), interval: unit, serially(canceller))
        let second = scheduler.schedule(after: moment(1), interval: unit, serially(piece(2)))
        token.withLock { $0 = second }
        if jumps { jump(5) } else { pass(5) }
        first.cancel()
        second.cancel()
        guard let place = cancelledAt.withLock({ $0 }), runs.dropFirst(place).contains(where: { $0.piece == 2 }) else {
            return nil
        }
        return broken(
            .cancelledWorkStops, "it ran although repeated work of the same time had cancelled it",
            script: "schedule 1 and 2 for every unit; \(jumps ? "five units pass at once; " : "")"
                + "1 cancels 2 in its second run")
    }

    /// Repeated work goes on after a jump of time, and isn't early in it.
    func probeRepeatedJump() -> Finding? {
        let script = "schedule 1 for every unit; four units pass at once; then three more"
        let token = scheduler.schedule(after: moment(1), interval: unit, serially(piece(1)))
        defer { token.cancel() }
        jump(4)
        pass(1)
        waitUntil { runs.count > 0 }
        let count = runs.count
        pass(3)
        waitUntil { runs.count > count }
        if let finding = checkPace(script: script) { return finding }
        if count > 0, runs.count > count { return nil }
        return broken(.runsOnce, "repeated work does not continue after time has jumped", script: script)
    }

    /// A tolerance lets work run later, and never earlier.
    func probeTolerance() -> Finding? {
        let script = "schedule 1 to 3, after as many units, and 4 together with 3, with a tolerance of one unit"
        for number in 1...4 {
            scheduler.schedule(
                after: moment(min(number, 3)), tolerance: unit, options: nil, serially(piece(number)))
        }
        for _ in 0..<8 {
            for run in runs where scheduler.now < moment(min(run.piece, 3)) {
                return broken(.workIsNeverEarly, "\(run.piece) ran before its time", script: script)
            }
            pass(1)
        }
        if let finding = checkCompleteness(1...4, script: script) { return finding }
        let order = runs.map(\.piece).filter { $0 > 2 }
        if order == [3, 4] { return nil }
        return broken(.orderOfWork, "4 ran before 3", script: script)
    }

    /// A tolerance lets repeated work run later, and never earlier.
    func probeRepeatedTolerance() -> Finding? {
        let script = "schedule 1 for every unit, with a tolerance of one unit"
        let token = scheduler.schedule(
            after: moment(1), interval: unit, tolerance: unit, options: nil, serially(piece(1)))
        defer { token.cancel() }
        pass(8)
        waitUntil { runs.count > 1 }
        if let finding = checkPace(script: script) { return finding }
        if runs.count > 1 { return nil }
        return broken(.runsOnce, "repeated work ran \(runs.count) times in eight intervals", script: script)
    }

    /// Checks that no run of repeated work came before its time.
    func checkPace(script: String) -> Finding? {
        for (index, run) in runs.enumerated() where run.moment < moment(index + 1) {
            return broken(.workIsNeverEarly, "run \(index + 1) came before its time", script: script)
        }
        return nil
    }
}
