/// The stages of a pipeline, from its sources to its end.
///
/// ```swift
/// let left = PassthroughSubject<Int, Never>().filter { $0 > 0 }
/// let both = left.merge(with: Just(2)).batch(count: 10)
/// print(both.describe())
/// // 1| PassthroughSubject
/// // 1| Filter
/// // 2| Just(output: 2)
/// // Merge
/// // Batch(count: 10)
/// ```
public struct PipelineDescription: Hashable, Sendable {
    /// A stage and its upstream stages.
    public struct Stage: Hashable, Sendable {
        /// The name of the publisher's type, such as `Map`.
        public let name: String

        /// The numbers, names and places that the stage was created with, and the counts of a
        /// ``HeadgateCore/Publisher/stage(_:in:)``.
        public let details: [String]

        /// The upstream stages, in order.
        public let upstreams: [Stage]

        /// Creates a stage from its parts.
        public init(name: String, details: [String] = [], upstreams: [Stage] = []) {
            self.name = name
            self.details = details
            self.upstreams = upstreams
        }

        /// The name and the details, as in `Batch(limit: 10)`.
        public var title: String { details.isEmpty ? name : "\(name)(\(details.joined(separator: ", ")))" }

        /// The number of stages, including this one.
        public var count: Int { upstreams.reduce(1) { $0 + $1.count } }

        fileprivate var lines: [String] {
            let rows = upstreams.enumerated().flatMap { index, upstream in
                upstreams.count == 1 ? upstream.lines : upstream.lines.map { "\(index + 1)| \($0)" }
            }
            return rows + [title]
        }
    }

    /// The stage that a subscriber is connected to.
    public let last: Stage

    /// Creates a description from the last stage.
    public init(last: Stage) { self.last = last }

    /// The graph in the language of Graphviz, for `dot`.
    ///
    /// ```swift
    /// print([1, 2].publisher.map { $0 + 1 }.filter { $0 > 2 }.describe().dot)
    /// // digraph pipeline {
    /// //     rankdir=LR; node [shape=box];
    /// //     s0 [label="Sequence(sequence: [1, 2])"];
    /// //     s1 [label="Map"];
    /// //     s0 -> s1;
    /// //     s2 [label="Filter"];
    /// //     s1 -> s2;
    /// // }
    /// ```
    public var dot: String {
        var lines: [String] = []
        var number = 0
        func draw(_ stage: Stage) -> Int {
            let upstreams = stage.upstreams.map(draw)
            let own = number
            number += 1
            let label = stage.title.flatMap { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }
            lines.append("    s\(own) [label=\"\(String(label))\"];")
            lines += upstreams.map { "    s\($0) -> s\(own);" }
            return own
        }
        _ = draw(last)
        return (["digraph pipeline {", "    rankdir=LR; node [shape=box];"] + lines + ["}"]).joined(separator: "\n")
    }
}

extension PipelineDescription: CustomStringConvertible {
    /// One line per stage, sources first.
    ///
    /// If a stage has several upstreams, each of their lines begins with the upstream's number.
    public var description: String { last.lines.joined(separator: "\n") }
}
