import HeadgateCore
import HeadgateTesting

/// The values and the completion of a subject under unlimited demand.
struct Reference {
    let values: [String]
    let ending: String?

    /// Whether the stream may have more values than these.
    let isOpenEnded: Bool
}

/// A cache of references by the actions of upstream.
final class ReferenceCache {
    fileprivate var known: [[ScriptAction]: Reference?] = [:]

    /// Whether unlimited demand does not deliver everything.
    var isUnfit = false

    /// The position of a value in its source.
    fileprivate(set) var places: [String: (source: Int, index: Int)] = [:]

    /// Creates an empty cache.
    ///
    /// - Parameter other: A cache with known sources of values.
    init(sourcesOf other: ReferenceCache? = nil) { places = other?.places ?? [:] }
}

extension ScriptRunner {
    /// Runs without backpressure: unlimited demand is requested on receiving the subscription.
    ///
    /// - Parameter history: The actions of upstream, and where time passes.
    /// - Returns: The result; `nil` if upstream could not perform an action.
    func runFreely(_ history: [ScriptAction] = []) -> Outcome? {
        let (fixture, subscriber) = begin(Probe(initialDemand: everything))
        defer { subscriber.leave() }
        for action in history {
            if !perform(action, fixture, subscriber) { return nil }
            settle(fixture)
        }
        if pace != .whenDue || fixture.source == nil { fixture.letTimePass() }
        let ended = Set(history.filter(\.isOfEnd))
        awaitAll(subscriber, hasSourceEnded: ended.count >= fixture.sourceCount)
        return subscriber.outcome
    }

    /// The reference for a run with the same actions of upstream; `nil` if runs differ from each other.
    func reference(for history: [ScriptAction]) -> Reference? {
        if capabilities.contains(.hot) || references.isUnfit { return nil }
        if let known = references.known[history] { return known }
        let reference = runFreely(history).map { full in
            Reference(
                values: full.values, ending: full.isCancelled ? nil : full.ending,
                isOpenEnded: full.isCancelled || capabilities.contains(.unbounded)
                    || capabilities.contains(.asynchronous) && full.ending == nil)
        }
        references.known[history] = .some(reference)
        return reference
    }

    /// Finds out which values come from one source, and in which order.
    ///
    /// The values caused by one value of upstream come from one source, and so do those published without upstream. If
    /// each value of upstream causes one, upstream itself is a source.
    func findSources() {
        let own = reference(for: [])?.values ?? []
        var sources = [own]
        var all = own
        for upstream in 0..<makeFixture().sourceCount {
            var parts: [[String]] = []
            var history: [ScriptAction] = [.send(from: upstream)]
            var received = own
            while history.count < 100, let reference = reference(for: history) {
                parts.append(reference.values.withoutEach(of: received))
                received = reference.values
                history.append(.send(from: upstream))
            }
            all += received.withoutEach(of: own)
            sources += parts.allSatisfy { $0.count <= 1 } ? [Array(parts.joined())] : parts
        }
        let counts = Dictionary(all.map { ($0, 1) }, uniquingKeysWith: +)
        for (number, source) in sources.enumerated() where source.allSatisfy({ counts[$0] == 1 }) {
            for (index, value) in source.enumerated() {
                references.places[value] = (number, index)
            }
        }
    }
}

extension Array where Element == String {
    /// The elements without those of another array, each removed once.
    func withoutEach(of others: [String]) -> [String] {
        var counts = Dictionary(others.map { ($0, 1) }, uniquingKeysWith: +)
        return filter { element in
            guard let count = counts[element], count > 0 else { return true }
            counts[element] = count - 1
            return false
        }
    }

    /// Whether the elements are found in another array in this order.
    func isFoundInOrder(in other: [String]) -> Bool {
        var rest = other[...]
        for element in self {
            guard let index = rest.firstIndex(of: element) else { return false }
            rest = rest[(index + 1)...]
        }
        return true
    }
}
