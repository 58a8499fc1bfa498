extension StreamMetrics {
    /// A table of the counts of several observers, one line for each.
    ///
    /// ```swift
    /// let metrics = StreamMetrics("numbers")
    /// (1...3).publisher.tap(metrics).sink { _ in }
    /// print(StreamMetrics.table([metrics]).split(separator: "\n")[0])
    /// // stream   runs  active  finished  failed  cancelled  requested  delivered  dropped  median  99 %
    /// ```
    public static func table(_ metrics: [StreamMetrics]) -> String {
        let header = [
            "stream", "runs", "active", "finished", "failed", "cancelled", "requested", "delivered", "dropped",
            "median",
            "99 %",
        ]
        let rows = [header] + metrics.map { $0.snapshot.cells }
        let widths = header.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            row.indices.map { column in
                let blanks = String(repeating: " ", count: widths[column] - row[column].count)
                return column == 0 ? row[column] + blanks : blanks + row[column]
            }
            .joined(separator: "  ")
        }
        return lines.joined(separator: "\n")
    }
}

extension StreamMetrics.Snapshot {
    /// The cells of one line of a table.
    fileprivate var cells: [String] {
        [
            name, "\(runs)", "\(active)", "\(finished)", "\(failed)", "\(cancelled)",
            unlimitedRequests > 0 ? "unlimited" : "\(requested)", "\(delivered)", "\(dropped)",
            Self.text(latencies.bound(of: 0.5)), Self.text(latencies.bound(of: 0.99)),
        ]
    }

    /// A short text for a duration, as in `<16 ms`.
    private static func text(_ duration: Duration) -> String {
        for (unit, name) in [(Duration.seconds(1), "s"), (.milliseconds(1), "ms"), (.microseconds(1), "µs")]
        where duration >= unit {
            let number = (duration / unit * 10).rounded() / 10
            return number >= 10 ? "<\(Int(number)) \(name)" : "<\(number) \(name)"
        }
        return "0"
    }
}
