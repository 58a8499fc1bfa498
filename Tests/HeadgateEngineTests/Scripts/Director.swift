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
