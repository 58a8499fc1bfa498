@preconcurrency import Dispatch
import Glibc
import HeadgateSystem

/// Publishes every Ctrl-C instead of ending the program by it.
final class Interrupts: Sendable {
    let publisher = PassthroughSubject<Void, Never>()

    private let source: any DispatchSourceSignal

    init() {
        signal(SIGINT, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGINT, queue: DispatchQueue(label: "interrupts"))
        source.setEventHandler { [weak self] in self?.publisher.send() }
        source.activate()
    }
}
