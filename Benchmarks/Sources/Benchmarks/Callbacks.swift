/// What a programmer without a library would write in place of a subject: a list of closures to call, in order.
final class Callbacks {
    private struct Entry {
        let token: Int
        let closure: (Int) -> Void
    }

    private var entries: [Entry] = []
    private var lastToken = 0

    /// Adds a closure.
    ///
    /// - Returns: What to take it out by.
    @inline(never)
    func add(_ closure: @escaping (Int) -> Void) -> Int {
        lastToken += 1
        entries.append(Entry(token: lastToken, closure: closure))
        return lastToken
    }

    @inline(never)
    func remove(_ token: Int) {
        entries.removeAll { $0.token == token }
    }

    @inline(never)
    func send(_ value: Int) {
        for entry in entries { entry.closure(value) }
    }
}
