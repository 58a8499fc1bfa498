import Synchronization

/// Counts scripts, so that another thread sees whether a verification goes on.
final class ScriptProgress: Sendable {
    private let scripts = Atomic<Int>(0)

    func advance() { scripts.add(1, ordering: .relaxed) }

    var count: Int { scripts.load(ordering: .relaxed) }
}
