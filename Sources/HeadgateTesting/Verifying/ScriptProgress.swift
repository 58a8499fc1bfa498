import Synchronization

/// Counts scripts, so that another thread sees whether a verification goes on, and writes down which one is running,
/// for the case that it ends the process.
final class ScriptProgress: Sendable {
    private let scripts = Atomic<Int>(0)
    private let running: RunningScript

    /// - Parameter title: The call that the test made, such as `verify(publisher:) of Just<Int>`.
    init(_ title: String) { running = RunningScript(title) }

    func advance() { scripts.add(1, ordering: .relaxed) }

    /// Writes down what is about to run.
    func note(_ script: String) { running.note(script) }

    /// Adds an action that is about to happen.
    func add(_ action: String) { running.add("; \(action)") }

    /// Forgets what has run.
    func end() { running.end() }

    var count: Int { scripts.load(ordering: .relaxed) }
}
