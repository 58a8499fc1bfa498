extension Flow {
    /// Records what happens at the stages, from now until the recording is stopped or released.
    ///
    /// ```swift
    /// let flow = Flow("numbers")
    /// let recording = flow.record(limit: 1_000)
    /// let cancellable = (1...3).publisher.stage("source", in: flow).sink { _ in }
    /// recording.stop()
    /// print(recording.eventCount, recording.trace.hasPrefix("["))
    /// // 9 true
    /// ```
    ///
    /// While it runs, each value is described by `String(describing:)`, on the delivering thread, and each event takes a
    /// lock for a moment. In a program that uses HeadgateSystem, `record(to:)` also writes the file.
    ///
    /// - Parameter limit: How many events are kept, the most recent ones: at least one; traps otherwise.
    public func record(limit: Int = 100_000) -> FlowRecording { FlowRecording(self, limit: limit) }
}

/// What has happened at the stages of a flow, as a trace for Perfetto: a thread for each stream
/// through a stage, with its states, its values and its demand.
///
/// Any thread may use it, also while it is recording.
public final class FlowRecording: Sendable {
    let flow: Flow

    private let recorder: StageRecorder

    init(_ flow: Flow, limit: Int) {
        require(
            limit >= 1, rule: "A recording must keep at least one event.", found: "record(limit: \(limit))",
            remedy: "Pass how many of the most recent events are to be kept.")
        self.flow = flow
        recorder = StageRecorder(limit: limit)
        flow.context.add(recorder)
        for stage in flow.stages { stage.setRecording(true) }
    }

    deinit { stop() }

    /// Stops recording; what was recorded stays.
    public func stop() {
        flow.context.remove(recorder)
        if !flow.context.hasRecorders { for stage in flow.stages { stage.setRecording(false) } }
    }

    /// The number of events that are kept: subscriptions, requests, the beginning and the end of each delivery, and
    /// completions and cancellations.
    public var eventCount: Int { recorder.events.count }

    /// The events in the JSON array format of the Trace Event Format, for Perfetto.
    ///
    /// The format is that of the document [Trace Event
    /// Format](https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU).
    public var trace: String { FlowTimeline(flow, recorder.events).trace }
}

/// The events of a recording, by streams.
struct FlowTimeline {
    /// One stream through a stage.
    struct Lane {
        let stage: Int
        let run: Int

        /// Times are in nanoseconds since the flow was created.
        var intervals: [(from: Int, to: Int, state: Flow.State, value: String)] = []
        var demand: [(time: Int, demand: Int?)] = []
        var marks: [(time: Int, kind: StageEvent.Kind, text: String)] = []

        fileprivate var since: Int?
        fileprivate var state = Flow.State.held
        fileprivate var value = ""
        fileprivate var isInside = false
        fileprivate var hasEnded = false
    }

    let flow: Flow.Snapshot

    /// The names of the stages, by their numbers.
    let stages: [String]
    var lanes: [Lane] = []

    init(_ flow: Flow, _ events: [StageEvent]) {
        self.flow = flow.snapshot
        stages = flow.stages.map(\.name)
        let scale = flow.context.clock.scale
        let start = flow.context.start
        var places: [Int: Int] = [:]
        var last = 0
        for event in events {
            let time = event.moment > start ? Int(Double(event.moment - start) * scale) : 0
            last = max(last, time)
            let place = places[event.run] ?? lanes.count
            if place == lanes.count {
                places[event.run] = place
                lanes.append(Lane(stage: event.stage, run: event.run))
            }
            lanes[place].add(event, at: time)
        }
        for place in lanes.indices { lanes[place].close(at: last) }
        // From the source to the sink, and the streams of a stage in the order in which they began.
        let order = Dictionary(uniqueKeysWithValues: self.flow.stages.enumerated().map { ($1.name, $0) })
        lanes.sort { (order[stages[$0.stage]] ?? 0, $0.run) < (order[stages[$1.stage]] ?? 0, $1.run) }
    }
}

extension FlowTimeline.Lane {
    fileprivate mutating func add(_ event: StageEvent, at time: Int) {
        switch event.kind {
        case .value:
            isInside = true
        case .delivered:
            isInside = false
        case .finished, .failed, .cancelled:
            hasEnded = true
            marks.append((time, event.kind, event.text))
        case .subscribed, .requested:
            break
        }
        let isSame = demand.last.map { $0.demand == event.demand } ?? false
        if !isSame { demand.append((time, event.demand)) }
        // A recording may begin inside a delivery, so a state that nothing has shown is none.
        // A request inside a delivery doesn't divide it.
        if isInside, event.kind != .value, since != nil, state == .busy { return }
        change(
            to: hasEnded && !isInside ? nil : isInside ? .busy : event.demand == 0 ? .held : .starved, event.text, time)
    }

    private mutating func change(to new: Flow.State?, _ text: String, _ time: Int) {
        if since != nil, new == state, new != .busy { return }
        if let since, time > since || state == .busy { intervals.append((since, time, state, value)) }
        since = new.map { _ in time }
        state = new ?? state
        value = new == .busy ? text : ""
    }

    fileprivate mutating func close(at time: Int) {
        if let since { intervals.append((since, max(since, time), state, value)) }
        since = nil
    }
}
