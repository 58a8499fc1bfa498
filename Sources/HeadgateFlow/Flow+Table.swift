extension Flow {
    /// The stages as text, one line for each, below a line that names the limit.
    ///
    /// ```swift
    /// let flow = Flow("numbers")
    /// let cancellable = (1...3).publisher.stage("source", in: flow).sink { _ in }
    /// print(flow.table().split(separator: "\n")[1])
    /// // stage   busy  starved  held  values  …
    /// ```
    ///
    /// The median life is that of the streams that have ended: how long they took, and not how long a value takes. It
    /// is an upper bound that is at most twice as long.
    public func table() -> String { snapshot.table }
}

extension Flow.Snapshot {
    /// The stages as text, as ``Flow/table()`` returns them.
    public var table: String { table(width: .max) }

    /// The stages as text, without the last columns that do not fit lines of so many characters.
    package func table(width: Int) -> String {
        let header = [
            "stage", "busy", "starved", "held", "values", "per second", "demand", "waiting", "dropped", "streams",
            "active", "failed", "median life",
        ]
        let rows = [header] + stages.map(\.cells)
        let widths = header.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        var rest = width - widths[0]
        let fitting = widths.indices.prefix { column in
            if column > 0 { rest -= 2 + widths[column] }
            return rest >= 0
        }
        let lines = rows.map { row in
            fitting.map { column in
                let blanks = String(repeating: " ", count: widths[column] - row[column].count)
                return column == 0 ? row[column] + blanks : blanks + row[column]
            }
            .joined(separator: "  ")
        }
        let title = flowLabel(name) + (limit.map { ": limited by \($0)" } ?? "")
        return ([title] + lines).joined(separator: "\n")
    }
}

extension Flow.Stage {
    /// The cells of one line of a table.
    fileprivate var cells: [String] {
        // What leads to the limit comes first, so that a narrow terminal shows it.
        let shares = Flow.State.allCases.map { share(of: $0).map { "\(Int(($0 * 100).rounded())) %" } ?? "–" }
        let rest = [
            "\(values)", rate.map(Self.text) ?? "–", demand.max.map(String.init) ?? "unlimited", "\(waiting)",
            "\(dropped)", "\(streams)", "\(active)", "\(failed)",
            durations.count > 0 ? Self.text(durations.bound(of: 0.5)) : "–",
        ]
        return [flowLabel(name)] + shares + rest
    }

    private static func text(_ rate: Double) -> String {
        if rate >= 100 { return "\(Int(min(rate, 1e15).rounded()))" }
        let tenths = Int((rate * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// A short text for a duration, as in `<16 ms`.
    private static func text(_ duration: Duration) -> String {
        for (unit, name) in [(Duration.seconds(1), "s"), (.milliseconds(1), "ms"), (.microseconds(1), "µs")]
        where duration >= unit {
            let number = (duration / unit * 10).rounded() / 10
            return number >= 10 ? "<\(Int(number)) \(name)" : "<\(number) \(name)"
        }
        return "<1 µs"
    }
}

extension Flow.Stage: CustomStringConvertible {
    /// The numbers that summarise the state of the stage.
    public var description: String {
        let demand = demand.max.map(String.init) ?? "unlimited"
        let shares = Flow.State.allCases.compactMap { state in
            share(of: state).map { "\(state) \(Int(($0 * 100).rounded())) %" }
        }
        let counts = [
            "\(flowLabel(name)): \(values) values", "demand \(demand)", "waiting \(waiting)", "dropped \(dropped)",
        ]
        return (counts + shares).joined(separator: ", ")
    }
}
