import HeadgateEngine

extension Publisher {
    /// Describes the stages of this pipeline, from its sources on, as text and as a graph.
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateFlow
    ///
    /// let flow = Flow("shop")
    /// let orders = PassthroughSubject<Int, Never>()
    ///     .checkpoint("stock", file: "Shop/Stock.swift", line: 7)
    ///     .stage("orders", in: flow)
    ///     .prefix(3)
    /// let listener = orders.sink { _ in }
    /// print(orders.describe())
    /// // PassthroughSubject
    /// // Checkpoint(stock (Shop/Stock.swift:7))
    /// // Staged(orders: 0 values, demand unlimited, waiting 0, dropped 0, …)
    /// // Output(range: 0..<3)
    /// ```
    ///
    /// It subscribes to nothing and does not touch running streams: it reads the publishers as they are. A
    /// `stage(_:in:)` of a flow shows the counts of all streams so far, running or not; a
    /// ``checkpoint(_:file:line:report:)`` shows its file and line. Publishers that closures make later, as in
    /// `flatMap`, are unknown, and an erased publisher is shown as `AnyPublisher`.
    ///
    /// - **Complexity**: linear in the number of stages. Meant for logs and debuggers.
    public func describe() -> PipelineDescription { PipelineDescription(last: described(self)) }
}

/// Describes a publisher from its mirror.
private func described(_ publisher: any Publisher) -> PipelineDescription.Stage {
    var details: [String] = []
    var upstreams: [PipelineDescription.Stage] = []
    var children = Array(Mirror(reflecting: publisher).children)
    var operation: Any = publisher
    // Shown as its step.
    if publisher is any SteppedPublisher {
        operation = children.removeLast().value
        children += Mirror(reflecting: operation).children
    }
    let isNamed = children.contains { $0.value is any SelfDescribing }
    for child in children {
        if child.label == "name", isNamed { continue }
        if let found = publishers(in: child.value) {
            upstreams += found.map(described)
        } else if let text = detail(child.value) {
            details.append(child.value is any SelfDescribing ? text : "\(child.label ?? ""): \(text)")
        }
    }
    let name = String(describing: type(of: operation)).prefix { $0 != "<" }
    return PipelineDescription.Stage(name: String(name), details: details, upstreams: upstreams)
}

/// The publishers that a member holds, if it is one, an optional one, or a collection of them.
private func publishers(in value: Any) -> [any Publisher]? {
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional:
        // `Optional` has a publisher of its own, but a member of that type is one that may be missing.
        return mirror.children.first.flatMap { publishers(in: $0.value) }
    case .collection:
        let elements = mirror.children.compactMap { $0.value as? any Publisher }
        return elements.isEmpty || elements.count < mirror.children.count ? nil : elements
    default:
        return (value as? any Publisher).map { [$0] }
    }
}

/// A short description of a member, if it has one.
private func detail(_ value: Any) -> String? {
    switch value {
    case let member as any SelfDescribing: member.description
    case let policy as RetryPolicy: policy.description
    case let text as String: "\"\(text.prefix(40))\""
    case is any BinaryInteger, is any BinaryFloatingPoint, is Bool, is Duration, is Range<Int>, is ClosedRange<Int>:
        "\(value)"
    case let numbers as [Int] where numbers.count < 8: "\(numbers)"
    default: nil
    }
}
