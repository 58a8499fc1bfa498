import HeadgateSystem
import Synchronization
import Terminal

/// How far all clients are, on a terminal once a second.
final class Progress: Sendable {
    let connected = Atomic(0)
    let ended = Atomic(0)
    private let messages = Atomic(0)

    /// Takes note of what a reader has received.
    func note(_ reading: Reading) { messages.max(reading.span, ordering: .relaxed) }

    /// Draws until it is cancelled.
    func show(of arguments: Arguments) -> AnyCancellable {
        let line = StatusLine()
        if !line.isShown { return AnyCancellable {} }
        let readers = arguments.clients - arguments.silent
        let drawing = Publishers.timer(interval: .seconds(1)).sink { _ in
            let connected = self.connected.load(ordering: .relaxed)
            let messages = self.messages.load(ordering: .relaxed)
            let ended = self.ended.load(ordering: .relaxed)
            line.show(
                "connected \(connected) of \(arguments.clients)   messages \(messages)"
                    + (arguments.messages.map { " of \($0)" } ?? "") + "   readers done \(ended) of \(readers)")
        }
        return AnyCancellable {
            drawing.cancel()
            line.clear()
        }
    }
}
