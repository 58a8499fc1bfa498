/// The scripts from which a search goes on: shorter ones first, so that the first that fails is among the shortest.
package struct ScriptFrontier<Act> {
    /// What a script has come to.
    package enum Standing {
        /// Longer scripts that begin with it may show more.
        case open

        /// Everything has ended; a few late acts may follow, to see that they do nothing.
        case over

        /// Nothing that begins with it is worth a try: its last act did nothing, for instance.
        case pruned
    }

    private struct Entry {
        let script: [Act]

        /// How many acts have followed the last completion, and one for the act that brought it; zero before.
        let lateness: Int
    }

    private var entries: [Entry] = []

    /// Makes a frontier without scripts.
    package init() {}

    /// Whether there is nothing to go on from.
    package var isEmpty: Bool { entries.isEmpty }

    /// Takes in a script from which to go on.
    package mutating func add(_ script: [Act], _ standing: Standing) {
        if let entry = entry(script, standing, after: 0) { entries.append(entry) }
    }

    /// Replaces each script by those that are one act longer.
    ///
    /// - Parameters:
    ///   - alphabet: The acts to go on with.
    ///   - lateActs: By how many acts a script goes on when everything has ended.
    ///   - visit: Runs a longer script, given whether everything had ended before its last act; without an answer, the
    ///     search stops.
    /// - Returns: Whether every script was visited.
    package mutating func grow(
        by alphabet: [Act], lateActs: Int, _ visit: (_ script: [Act], _ isLate: Bool) throws -> Standing?
    ) rethrows -> Bool {
        var longer: [Entry] = []
        for shorter in entries where shorter.lateness <= lateActs {
            for act in alphabet {
                let script = shorter.script + [act]
                guard let standing = try visit(script, shorter.lateness > 0) else { return false }
                if let entry = entry(script, standing, after: shorter.lateness), entry.lateness <= lateActs {
                    longer.append(entry)
                }
            }
        }
        entries = longer
        return true
    }

    private func entry(_ script: [Act], _ standing: Standing, after lateness: Int) -> Entry? {
        switch standing {
        case .open: Entry(script: script, lateness: 0)
        case .over: Entry(script: script, lateness: lateness + 1)
        case .pruned: nil
        }
    }
}

extension Array {
    /// The elements that are left when every one is removed that can be removed.
    ///
    /// - Parameter isKept: Whether a shorter array still shows what this one does.
    package func shrunk(while isKept: ([Element]) -> Bool) -> [Element] {
        var smallest = self
        var index = 0
        while index < smallest.count {
            var shorter = smallest
            shorter.remove(at: index)
            if isKept(shorter) {
                smallest = shorter
                index = 0
            } else {
                index += 1
            }
        }
        return smallest
    }
}
