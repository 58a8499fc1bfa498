import HeadgateCore
import HeadgateTesting

/// The order and the time of work, repeated work and its cancellation, time that jumps, and tolerance.
extension SchedulerFixture {
    static var probes: [(SchedulerFixture) -> Finding?] {
        [
            {
                $0.probePieces(
                    "schedule 1 now, 2 after one unit, 3 after two, 4 after three, 5 for a time in the past",
                    after: [nil, 1, 2, 3, -1])
            },
            {
                $0.probePieces(
                    "schedule 1 to 4 now, 5 to 8 after one unit", after: [nil, nil, nil, nil, 1, 1, 1, 1],
                    inOrder: Array(1...8))
            },
            {
                $0.probePieces(
                    "schedule 1 after three units, 2 after two, 3 after one; three units pass at once",
                    after: [3, 2, 1], jumping: 3, inOrder: [3, 2, 1])
            },
            {
                $0.probePieces(
                    "schedule 1 to 3, after as many units, and 4 together with 3, with a tolerance of one unit",
                    after: [1, 2, 3, 3], tolerance: true, inOrder: [3, 4])
            },
            { $0.probeWorkFromInside() },
            { $0.probeRepeat() },
            { $0.probeCancelInside(run: 1, jumps: false) },
            { $0.probeCancelInside(run: 2, jumps: false) },
            { $0.probeCancelInside(run: 2, jumps: true) },
            { $0.probeEarlyCancel() },
            { $0.probeCancelByOthers(repeats: false, jumps: false) },
            { $0.probeCancelByOthers(repeats: true, jumps: false) },
            { $0.probeCancelByOthers(repeats: true, jumps: true) },
            { $0.probePace(jumps: true) },
            { $0.probePace(jumps: false) },
        ]
    }

    /// Schedules pieces of work, and checks when and in which order they run.
    ///
    /// - Parameters:
    ///   - script: The probe in words.
    ///   - units: After how many units of time each piece is due; `nil` for now.
    ///   - tolerance: Whether it may run one unit later.
    ///   - jumpLength: How many units pass at once.
    ///   - order: The pieces that have to run in this order.
    func probePieces(
        _ script: String, after units: [Int?], tolerance: Bool = false, jumping jumpLength: Int = 0,
        inOrder order: [Int] = []
    ) -> Finding? {
        self.script = script
        for (index, units) in units.enumerated() {
            let piece = piece(index + 1)
            if let units {
                let tolerance = tolerance ? unit : scheduler.minimumTolerance
                scheduler.schedule(after: moment(units), tolerance: tolerance, options: nil, piece)
            } else {
                scheduler.schedule(piece)
            }
        }
        if jumpLength > 0 { jump(jumpLength) }
        let longest = units.compactMap(\.self).max() ?? 0
        for _ in jumpLength..<longest + 3 {
            // Not what the clock shows inside the work counts, but that it is still before its time afterwards.
            for run in runs where scheduler.now < moment(units[run.piece - 1] ?? 0) {
                return broken(.workIsNeverEarly, "\(run.piece) ran before its time")
            }
            pass(1)
        }
        for run in runs {
            let due = moment(units[run.piece - 1] ?? 0)
            if run.moment < due {
                return broken(.clockGoesForward, "the clock shows \(run.moment) when work for \(due) runs")
            }
        }
        if let finding = checkCompleteness(1...units.count) { return finding }
        let found = runs.map(\.piece).filter(order.contains)
        return found == order ? nil : broken(.orderOfWork, "the pieces ran in the order \(found)")
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

    /// Repeated work that other work of the same time cancels does not run again, even in the same tick.
    ///
    /// - Parameter repeats: Whether the other work is repeated, too.
    func probeCancelByOthers(repeats: Bool, jumps: Bool) -> Finding? {
        let passing = jumps ? "five units pass at once; " : ""
        script =
            repeats
            ? "schedule 1 and 2 for every unit; \(passing)1 cancels 2 in its second run"
            : "schedule 1 after two units, which cancels 2; schedule 2 after two units and for every unit"
        var canceller: (any Cancellable)?
        let late = piecesAfterCancel(if: { runs in runs.count { $0.piece == 1 } == (repeats ? 2 : 1) }) {
            if repeats {
                canceller = scheduler.schedule(after: moment(1), interval: unit, $0)
            } else {
                scheduler.schedule(after: moment(2), $0)
            }
            return scheduler.schedule(after: moment(repeats ? 1 : 2), interval: unit, piece(2))
        } passing: {
            if jumps { jump(5) } else { pass(5) }
            canceller?.cancel()
        }
        if !late.contains(2) { return nil }
        return broken(.cancelledWorkStops, "it ran although work of the same time had cancelled it")
    }

    /// Lets piece 1 cancel repeated work.
    ///
    /// - Parameters:
    ///   - isDue: Whether it does so in the last of these runs.
    ///   - schedule: Schedules both, and returns what cancels the repeated work.
    ///   - passTime: Lets time pass.
    /// - Returns: The pieces that ran after the cancellation; none if it was not reached.
    private func piecesAfterCancel(
        if isDue: @escaping ([Run]) -> Bool, schedule: (_ work: @escaping @Sendable () -> Void) -> any Cancellable,
        passing passTime: () -> Void
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

    /// Repeated work goes on, and is never early, whether time jumps or the work has a tolerance.
    func probePace(jumps: Bool) -> Finding? {
        script =
            jumps
            ? "schedule 1 for every unit; four units pass at once; then three more"
            : "schedule 1 for every unit, with a tolerance of one unit"
        let tolerance = jumps ? scheduler.minimumTolerance : unit
        let token = scheduler.schedule(
            after: moment(1), interval: unit, tolerance: tolerance, options: nil, piece(1))
        defer { token.cancel() }
        if jumps { jump(4) } else { pass(4) }
        pass(1)
        waitUntil { runs.count > 0 }
        let count = runs.count
        pass(3)
        waitUntil { runs.count > count }
        if let finding = checkPace() { return finding }
        if count > 0, runs.count > count { return nil }
        return broken(.runsOnce, "repeated work does not continue\(jumps ? " after time has jumped" : "")")
    }

    /// Checks that no run of repeated work came before its time.
    func checkPace() -> Finding? {
        for (index, run) in runs.enumerated() where run.moment < moment(index + 1) {
            return broken(.workIsNeverEarly, "run \(index + 1) came before its time")
        }
        return nil
    }
}
