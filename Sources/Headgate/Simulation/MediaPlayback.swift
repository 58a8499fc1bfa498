import HeadgateEngine

/// The playhead of a `MediaPlayer` and the pending notifications: a value that decides, and has no side effects.
///
/// Time is measured from the last start, seek or change of rate, so that rounding errors do not accumulate.
struct MediaPlayback {
    /// An observer and its next deadline.
    struct Place {
        let observer: MediaPlayer.TimeObserver
        var deadline: Int?
    }

    /// A notification that observers have not received yet.
    struct Notification {
        let time: Double
        let hasEnded: Bool
        let observers: [MediaPlayer.TimeObserver]
    }

    let duration: Double

    /// Seconds of media per second; zero while paused.
    private(set) var rate = 0.0

    private(set) var places: [Place] = []
    var outbox = Queue<Notification>()

    private var startTime = 0.0
    private var startMoment: Int
    private var lastMoment: Int
    private var endDeadline: Int?

    init(duration: Double, moment: Int) {
        self.duration = duration
        startMoment = moment
        lastMoment = moment
    }

    /// The earliest moment at which there is a notification to send.
    var nextDeadline: Int? {
        places.lazy.compactMap(\.deadline).reduce(endDeadline) { min($0 ?? $1, $1) }
    }

    /// The position of the playhead at a moment.
    func time(at moment: Int) -> Double {
        if rate == 0 { return startTime }
        let elapsed = Double(max(moment, lastMoment) - startMoment) / 1_000_000_000
        return min(max(0, startTime + elapsed * rate), min(duration, .greatestFiniteMagnitude))
    }

    /// Records what has happened up to a moment.
    mutating func settle(at moment: Int) {
        lastMoment = max(moment, lastMoment)
        if let endDeadline, endDeadline <= lastMoment { return stop(at: rate > 0 ? duration : 0) }
        var due: [MediaPlayer.TimeObserver] = []
        for index in places.indices {
            if let deadline = places[index].deadline, deadline <= lastMoment {
                due.append(places[index].observer)
                places[index].deadline = tickDeadline(of: places[index].observer)
            }
        }
        if !due.isEmpty { outbox.append(Notification(time: time(at: lastMoment), hasEnded: false, observers: due)) }
    }

    mutating func setRate(_ newRate: Double, at moment: Int) {
        settle(at: moment)
        let time = time(at: lastMoment)
        if newRate == rate { return }
        if newRate == 0 {
            stop(at: time)
        } else if newRate > 0 ? time < duration : time > 0 {
            let isStarting = rate == 0
            begin(at: time, rate: newRate)
            if isStarting { notifyAll(time, hasEnded: false) }
        } else if rate != 0 {
            stop(at: time)
        }
    }

    mutating func seek(to time: Double, at moment: Int) {
        settle(at: moment)
        let time = min(max(0, time), duration)
        if rate > 0 ? time == duration : rate < 0 && time == 0 {
            stop(at: time)
        } else {
            begin(at: time, rate: rate)
            notifyAll(time, hasEnded: false)
        }
    }

    mutating func add(_ observer: MediaPlayer.TimeObserver, at moment: Int) {
        settle(at: moment)
        places.append(Place(observer: observer, deadline: tickDeadline(of: observer)))
    }

    /// Removes an observer, and returns it for the caller to release.
    mutating func remove(_ observer: MediaPlayer.TimeObserver) -> MediaPlayer.TimeObserver? {
        places.firstIndex { $0.observer === observer }.map { places.remove(at: $0).observer }
    }

    private mutating func stop(at time: Double) {
        let hasEnded = rate > 0 && time == duration
        begin(at: time, rate: 0)
        notifyAll(time, hasEnded: hasEnded)
    }

    private mutating func begin(at time: Double, rate: Double) {
        startTime = time
        startMoment = lastMoment
        self.rate = rate
        endDeadline = deadline(of: rate > 0 ? duration : 0)
        for index in places.indices { places[index].deadline = tickDeadline(of: places[index].observer) }
    }

    private mutating func notifyAll(_ time: Double, hasEnded: Bool) {
        if places.isEmpty { return }
        outbox.append(Notification(time: time, hasEnded: hasEnded, observers: places.map(\.observer)))
    }

    /// When the playhead next passes a multiple of the observer's interval.
    private func tickDeadline(of observer: MediaPlayer.TimeObserver) -> Int? {
        let interval = observer.interval
        if rate == 0 || interval == .infinity { return nil }
        let now = time(at: lastMoment)
        // Deadlines are rounded, so a playhead within a nanosecond of a multiple counts as being there.
        let next =
            rate > 0
            ? (((now + 1e-9) / interval).rounded(.down) + 1) * interval
            : (((now - 1e-9) / interval).rounded(.up) - 1) * interval
        // If the numbers are so large that adding a step changes nothing, there is no next multiple.
        if rate > 0 ? next <= now : next >= now { return nil }
        return deadline(of: next)
    }

    /// The first moment, from the next nanosecond on, at which the playhead will be at a position or past it.
    private func deadline(of time: Double) -> Int? {
        if rate == 0 { return nil }
        // Ignores differences below a thousandth of a nanosecond.
        let delay = ((time - startTime) / rate * 1_000_000_000 - 0.001).rounded(.up)
        guard let delay = Int(exactly: max(0, delay)) else { return nil }
        let (moment, overflow) = startMoment.addingReportingOverflow(delay)
        return overflow ? nil : max(moment, lastMoment + 1)
    }
}
