import HeadgateFlow

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
        LagMetric.text(
            "headgate_group",
            [
                LagMetric(name: "waiting_entries", help: "Entries that have not been delivered.") {
                    $0.waiting.map { "\($0)" }
                },
                LagMetric(name: "pending_entries", help: "Entries that have been delivered and not acknowledged.") {
                    "\($0.pending)"
                },
                LagMetric(name: "oldest_seconds", help: "Age of the oldest entry that has not been delivered.") {
                    "\(($0.age ?? .zero) / .seconds(1))"
                },
                LagMetric(name: "consumers", help: "Consumers that the group knows.") { "\($0.consumers)" },
            ],
            of: groups.map {
                ("stream=\"\(Flow.escaped($0.stream))\",group=\"\(Flow.escaped($0.group))\"", $0.lag)
            })
    }
}

/// A number of a lag, for Prometheus.
struct LagMetric<Lag> {
    let name: String
    let help: String
    /// The number; `nil` where the server does not know it.
    let number: (Lag) -> String?

    /// The text of gauges, whose names begin with a prefix.
    ///
    /// - Parameter samples: Labels, and the lag that they are of.
    static func text(_ prefix: String, _ metrics: [LagMetric], of samples: [(labels: String, lag: Lag)]) -> String {
        metrics.map { metric in
            let name = "\(prefix)_\(metric.name)"
            let lines = samples.compactMap { sample in
                metric.number(sample.lag).map { "\(name){\(sample.labels)} \($0)\n" }
            }
            return "# HELP \(name) \(metric.help)\n# TYPE \(name) gauge\n" + lines.joined()
        }
        .joined()
    }
}
