import HeadgateCore
import HeadgateSystem

/// Stands between the product and the system: counts calls, and makes of them what a test says.
final class CallLog: Sendable {
    private let counts = Guarded<[String: Int]>([:])
    private let answer: @Sendable (_ call: String, _ number: Int) -> SystemCalls.Verdict

    /// - Parameter answer: Given the name of the call and how often it was made before.
    init(answer: @escaping @Sendable (_ call: String, _ number: Int) -> SystemCalls.Verdict = { _, _ in .proceed }) {
        self.answer = answer
    }

    /// The way to the system that this one stands in.
    var calls: SystemCalls {
        SystemCalls { name in
            let number = self.counts.withLock { counts -> Int in
                defer { counts[name, default: 0] += 1 }
                return counts[name, default: 0]
            }
            return self.answer(name, number)
        }
    }

    /// How often a call was made.
    subscript(_ name: String) -> Int { counts.withLock { $0[name] ?? 0 } }

    /// The names of the calls that were made.
    var names: Set<String> { counts.withLock { Set($0.keys) } }
}
