/// Tries every script of one to `length` acts.
///
/// - Parameter run: Runs one script, and answers whether longer ones that begin with it are worth trying.
func forEachScript<Act>(of alphabet: [Act], upTo length: Int, _ run: ([Act]) -> Bool) {
    var script: [Act] = []
    func extend() {
        if script.count == length { return }
        for act in alphabet {
            script.append(act)
            if run(script) { extend() }
            script.removeLast()
        }
    }
    extend()
}

/// A script that is acted out one act after the other, or from inside the deliveries that it causes.
final class Director<Act> {
    private var remaining: ArraySlice<Act>
    private let isReentrant: Bool
    private let perform: (Act) -> Void

    init(_ script: [Act], isReentrant: Bool, perform: @escaping (Act) -> Void) {
        remaining = script[...]
        self.isReentrant = isReentrant
        self.perform = perform
    }

    /// Acts the whole script.
    func run() {
        while let act = remaining.popFirst() { perform(act) }
    }

    /// Acts one act from inside a delivery, if the script is for that.
    func delivery() {
        if isReentrant, let act = remaining.popFirst() { perform(act) }
    }
}
