extension Flow {
    /// The numbers of all stages in the text format of Prometheus, version 0.0.4.
    ///
    /// ```swift
    /// let flow = Flow("numbers")
    /// let cancellable = (1...3).publisher.stage("source", in: flow).sink { _ in }
    /// print(flow.prometheus().split(separator: "\n").first { $0.hasPrefix("headgate_stage_values") } ?? "")
    /// // headgate_stage_values_total{flow="numbers",stage="source"} 3
    /// ```
    ///
    /// Serve it as `text/plain; version=0.0.4`. An unlimited demand is `+Inf`. The seconds in a state are those of all
    /// streams together, so their rate is the number of streams in that state, on average.
    public func prometheus() -> String { Self.prometheus([self]) }

    /// The numbers of several flows in the text format of Prometheus, version 0.0.4.
    ///
    /// Each metric may be described only once in an answer, so the texts of several flows can't be joined. Stages of
    /// the same name in flows of the same name are added up.
    public static func prometheus(_ flows: [Flow]) -> String {
        var stages: [(flow: String, stage: Flow.Stage)] = []
        var places: [[String]: Int] = [:]
        for flow in flows {
            for stage in flow.snapshot.stages {
                if let place = places[[flow.name, stage.name]] {
                    stages[place].stage = stages[place].stage + stage
                } else {
                    places[[flow.name, stage.name]] = stages.count
                    stages.append((flow.name, stage))
                }
            }
        }
        return metrics.map { metric in
            let head = "# HELP \(metric.name) \(metric.help)\n# TYPE \(metric.name) \(metric.type)\n"
            let samples = stages.flatMap { flow, stage in
                metric.samples(stage).map { label, number in
                    "\(metric.name){flow=\"\(escaped(flow))\",stage=\"\(escaped(stage.name))\"\(label)} \(number)\n"
                }
            }
            return head + samples.joined()
        }
        .joined()
    }

    private struct Metric {
        let name: String
        let type: String
        let help: String
        /// Further labels, and numbers.
        let samples: (Flow.Stage) -> [(String, String)]
    }

    private static var metrics: [Metric] {
        [
            Metric(name: "headgate_stage_values_total", type: "counter", help: "Values that passed the stage.") {
                [("", "\($0.values)")]
            },
            Metric(name: "headgate_stage_streams_total", type: "counter", help: "Streams that began at the stage.") {
                [("", "\($0.streams)")]
            },
            Metric(name: "headgate_stage_completions_total", type: "counter", help: "Streams that ended, by outcome.") {
                [
                    (",outcome=\"finished\"", "\($0.finished)"), (",outcome=\"failed\"", "\($0.failed)"),
                    (",outcome=\"cancelled\"", "\($0.cancelled)"),
                ]
            },
            Metric(
                name: "headgate_stage_dropped_values_total", type: "counter",
                help: "Values that queues between the stage before and this one dropped."
            ) { [("", "\($0.dropped)")] },
            Metric(
                name: "headgate_stage_state_seconds_total", type: "counter",
                help: "Time that all streams together spent in a state."
            ) { stage in
                State.allCases.map { state in
                    let time = stage.times[state] ?? .zero
                    return (",state=\"\(state)\"", "\(time / .seconds(1))")
                }
            },
            Metric(
                name: "headgate_stage_waiting_values", type: "gauge",
                help: "Values in queues between the stage before and this one."
            ) { [("", "\($0.waiting)")] },
            Metric(name: "headgate_stage_demand_values", type: "gauge", help: "Outstanding demand.") {
                [("", $0.demand.max.map(String.init) ?? "+Inf")]
            },
            Metric(name: "headgate_stage_active_streams", type: "gauge", help: "Streams by their current state.") {
                stage in
                State.allCases.map { (",state=\"\($0)\"", "\(stage.now[$0] ?? 0)") }
            },
        ]
    }

    /// The text of a label's value.
    package static func escaped(_ label: String) -> String {
        var text = ""
        for character in label.unicodeScalars {
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(character)
            }
        }
        return text
    }
}

extension Flow.Stage {
    /// The sums of two stages of one name.
    fileprivate static func + (left: Self, right: Self) -> Self {
        Self(
            name: left.name, streams: left.streams + right.streams, finished: left.finished + right.finished,
            failed: left.failed + right.failed, cancelled: left.cancelled + right.cancelled,
            values: left.values + right.values, rate: left.rate ?? right.rate, demand: left.demand + right.demand,
            waiting: left.waiting + right.waiting, dropped: left.dropped + right.dropped,
            times: left.times.merging(right.times, uniquingKeysWith: +),
            now: left.now.merging(right.now, uniquingKeysWith: +), durations: left.durations)
    }
}
