import HeadgateCombine
import HeadgateEngine
import HeadgateCore
import HeadgateTesting

/// The order and the time of work, repeated work and its cancellation, time that jumps, and tolerance.
extension SchedulerFixture {
    func probeOnce() -> Finding? {
        script = "schedule 1 now, 2 after one unit, 3 for a time in the past"
        scheduler.schedule(piece(1))
        scheduler.schedule(after: moment(1), piece(2))
        scheduler.schedule(after: moment(-1), piece(3))
        pass(4)
        return checkCompleteness(1...3)
    }

    func probeMoment() -> Finding? {
        script = "schedule 1 after one unit, 2 after two, 3 after three"
        for units in 1...3 { scheduler.schedule(after: moment(units), piece(units)) }
        if let finding = checkPassing(6) { return finding }
        for run in runs where run.moment < moment(run.piece) {
            return broken(
                .clockGoesForward, "the clock shows \(run.moment) when work for \(moment(run.piece)) runs")
        }
        return checkCompleteness(1...3)
    }

    func probeOrder() -> Finding? {
        script = "schedule 1 to 4 now, 5 to 8 after one unit"
        for number in 1...4 { scheduler.schedule(piece(number)) }
        for number in 5...8 { scheduler.schedule(after: moment(1), piece(number)) }
        pass(4)
        return checkOrder(Array(1...8))
    }

    func probeWorkFromInside() -> Finding? {
        script = "schedule 1, which schedules 2 now and 3 after one unit"
        let work = piece(1) { [self] in
            scheduler.schedule(piece(2))
            scheduler.schedule(after: scheduler.now.advanced(by: unit), piece(3))
        }
        scheduler.schedule(work)
        pass(5)
        if hasOverlap {
            return broken(.orderOfWork, "a piece started while another was running")
        }
        return checkCompleteness(1...3)
    }

    func probeRepeat() -> Finding? {
        script = "schedule 1 for every unit; cancel after some units"
        let token = scheduler.schedule(after: moment(1), interval: unit, piece(1))
        pass(3)
        waitUntil { runs.count > 1 }
        noteCancel()
        token.cancel()
        let count = runs.count
        pass(4)
        let late = runs.dropFirst(count)
        // A run that another thread has started may finish.
        let mayBeUnderWay = late.first.map { $0.thread != .current } ?? false
        if late.count > (mayBeUnderWay ? 1 : 0) {
            return broken(.cancelledWorkStops, "it ran \(late.count) times after cancel()")
        }
        if let finding = checkPace() { return finding }
        if count > 1 { return nil }
        return broken(.runsOnce, "repeated work ran \(count) times in three intervals")
    }

    func probeEarlyCancel() -> Finding? {
        script = "schedule 1 after two units and for every unit; cancel"
        let token = scheduler.schedule(after: moment(2), interval: unit, piece(1))
        let hadRun = !runs.isEmpty
        noteCancel()
        token.cancel()
        pass(4)
        if hadRun || runs.isEmpty { return nil }
        return broken(.cancelledWorkStops, "it ran although it was cancelled before")
    }

    /// Repeated work that cancels itself does not run again, even if a jump of time has made further runs due.
    func probeCancelInside(run number: Int, jumps: Bool) -> Finding? {
        script = "schedule 1 for every unit; \(jumps ? "six units pass at once; " : "")cancel in its run \(number)"
        let late = piecesAfterCancel(if: { $0.count == number }) {
            scheduler.schedule(after: moment(1), interval: unit, $0)
        } passing: {
            if jumps { jump(6) } else { pass(6) }
            pass(1)
        }
        if late.isEmpty { return nil }
        let finding = "work that cancels itself in run \(number) ran \(number + late.count) times"
        return broken(.cancelledWorkStops, finding)
    }

    /// Repeated work that work of the same time cancels does not run again.
    func probeCancelByOthers() -> Finding? {
        script = "schedule 1 after two units, which cancels 2; schedule 2 after two units and for every unit"
        let late = piecesAfterCancel {
            scheduler.schedule(after: moment(2), $0)
            return scheduler.schedule(after: moment(2), interval: unit, piece(2))
        } passing: {
            pass(5)
        }
        if !late.contains(2) { return nil }
        return broken(.cancelledWorkStops, "it ran although work of the same time had cancelled it")
    }

    /// Repeated work that other repeated work cancels does not run again, even in the same tick.
    func probeCancelByRepeatedWork(jumps: Bool) -> Finding? {
        let passing = jumps ? "five units pass at once; " : ""
        script = "schedule 1 and 2 for every unit; \(passing)1 cancels 2 in its second run"
        var canceller: (any Cancellable)?
        let late = piecesAfterCancel(if: { runs in runs.count { $0.piece == 1 } == 2 }) {
            canceller = scheduler.schedule(after: moment(1), interval: unit, $0)
            return scheduler.schedule(after: moment(1), interval: unit, piece(2))
        } passing: {
            if jumps { jump(5) } else { pass(5) }
            canceller?.cancel()
        }
        if !late.contains(2) { return nil }
        return broken(.cancelledWorkStops, "it ran although repeated work of the same time had cancelled it")
    }

    /// Lets piece 1 cancel repeated work.
    ///
    /// - Parameters:
    ///   - isDue: Whether it does so in the last of these runs.
    ///   - schedule: Schedules both, and returns what cancels the repeated work.
    ///   - passTime: Lets time pass.
    /// - Returns: The pieces that ran after the cancellation; none if it was not reached.
    private func piecesAfterCancel(
        if isDue: @escaping ([Run]) -> Bool = { _ in true },
        schedule: (_ work: @escaping @Sendable () -> Void) -> any Cancellable, passing passTime: () -> Void
    ) -> [Int] {
        let token = Guarded<(any Cancellable)?>(nil)
        let countBefore = Guarded<Int?>(nil)
        let work = piece(1) {
            let runs = self.runs
            guard isDue(runs), let token = token.withLock({ $0 }) else { return }
            self.noteCancel()
            token.cancel()
            countBefore.withLock { $0 = $0 ?? runs.count }
        }
        let cancellable = schedule(work)
        token.withLock { $0 = cancellable }
        passTime()
        let late = countBefore.withLock { $0 }.map { runs.dropFirst($0).map(\.piece) } ?? []
        // Cancels again if the first call had no effect.
        token.withLock { $0.take() }?.cancel()
        return late
    }

    func probeJump() -> Finding? {
        script = "schedule 1 after three units, 2 after two, 3 after one; three units pass at once"
        for number in 1...3 { scheduler.schedule(after: moment(4 - number), piece(number)) }
        jump(3)
        pass(2)
        return checkOrder([3, 2, 1])
    }

    /// Repeated work goes on after a jump of time, and isn't early in it.
    func probeRepeatedJump() -> Finding? {
        script = "schedule 1 for every unit; four units pass at once; then three more"
        let token = scheduler.schedule(after: moment(1), interval: unit, piece(1))
        defer { token.cancel() }
        jump(4)
        pass(1)
        waitUntil { runs.count > 0 }
        let count = runs.count
        pass(3)
        waitUntil { runs.count > count }
        if let finding = checkPace() { return finding }
        if count > 0, runs.count > count { return nil }
        return broken(.runsOnce, "repeated work does not continue after time has jumped")
    }

    /// A tolerance lets work run later, and never earlier.
    func probeTolerance() -> Finding? {
        script = "schedule 1 to 3, after as many units, and 4 together with 3, with a tolerance of one unit"
        for number in 1...4 {
            scheduler.schedule(after: moment(min(number, 3)), tolerance: unit, options: nil, piece(number))
        }
        if let finding = checkPassing(8) ?? checkCompleteness(1...4) { return finding }
        let order = runs.map(\.piece).filter { $0 > 2 }
        if order == [3, 4] { return nil }
        return broken(.orderOfWork, "4 ran before 3")
    }

    /// A tolerance lets repeated work run later, and never earlier.
    func probeRepeatedTolerance() -> Finding? {
        script = "schedule 1 for every unit, with a tolerance of one unit"
        let token = scheduler.schedule(after: moment(1), interval: unit, tolerance: unit, options: nil, piece(1))
        defer { token.cancel() }
        pass(8)
        waitUntil { runs.count > 1 }
        if let finding = checkPace() { return finding }
        if runs.count > 1 { return nil }
        return broken(.runsOnce, "repeated work ran \(runs.count) times in eight intervals")
    }

    /// Checks that no run of repeated work came before its time.
    func checkPace() -> Finding? {
        for (index, run) in runs.enumerated() where run.moment < moment(index + 1) {
            return broken(.workIsNeverEarly, "run \(index + 1) came before its time")
        }
        return nil
    }
}
