extension GroupLag {
    /// The numbers in the text format of Prometheus, version 0.0.4, to be appended to that of flows.
    ///
    /// ```swift
    /// let lag = GroupLag(waiting: 7, pending: 1, consumers: 2, age: .seconds(2))
    /// print(lag.prometheus(stream: "orders", group: "billing").split(separator: "\n")[2])
    /// // headgate_group_waiting_entries{stream="orders",group="billing"} 7
    /// ```
    ///
    /// For several groups in one answer, use ``prometheus(_:)``.
    ///
    /// - Parameters:
    ///   - stream: The name of the stream, for the labels.
    ///   - group: The group, for the labels.
    public func prometheus(stream: String, group: String) -> String {
        Self.prometheus([(stream: stream, group: group, lag: self)])
    }

    /// The numbers of several groups in the text format of Prometheus, version 0.0.4.
    ///
    /// Each metric may be described only once in an answer, so the texts of several groups can't be joined.
    ///
    /// - Parameter groups: Each group, with its stream and its lag.
    public static func prometheus(_ groups: [(stream: String, group: String, lag: GroupLag)]) -> String {
        gauges(
            "headgate_group", of: "delivered", ("consumers", "Consumers that the group knows."),
            groups.map {
                let labels = "stream=\"\(Flow.escaped($0.stream))\",group=\"\(Flow.escaped($0.group))\""
                return (labels, $0.lag, $0.lag.consumers)
            })
    }

    typealias GaugeSample = (labels: String, lag: GroupLag, other: Int)

    /// The text of gauges.
    ///
    /// - Parameters:
    ///   - prefix: How their names begin.
    ///   - verb: What is done with entries before they are acknowledged.
    ///   - other: The name and the description of one that is told besides.
    ///   - samples: Labels, the lag that they are of, and the number that is told besides.
    static func gauges(
        _ prefix: String, of verb: String, _ other: (name: String, help: String), _ samples: [GaugeSample]
    ) -> String {
        func gauge(_ name: String, _ help: String, _ number: (GaugeSample) -> String?) -> String {
            let name = "\(prefix)_\(name)"
            let lines = samples.compactMap { sample in
                // Where the server does not know it, nothing is told.
                number(sample).map { "\(name){\(sample.labels)} \($0)\n" }
            }
            return "# HELP \(name) \(help)\n# TYPE \(name) gauge\n" + lines.joined()
        }
        let waiting = gauge("waiting_entries", "Entries that have not been \(verb).") {
            $0.lag.waiting.map { "\($0)" }
        }
        let pending = gauge("pending_entries", "Entries that have been \(verb) and not acknowledged.") {
            "\($0.lag.pending)"
        }
        let oldest = gauge("oldest_seconds", "Age of the oldest entry that has not been \(verb).") {
            "\(($0.lag.age ?? .zero) / .seconds(1))"
        }
        return waiting + pending + oldest + gauge(other.name, other.help) { "\($0.other)" }
    }
}
