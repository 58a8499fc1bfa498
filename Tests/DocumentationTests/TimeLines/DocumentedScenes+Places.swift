import Foundation
import Headgate
import HeadgateControls
import HeadgateFoundation
import HeadgateSystem
import HeadgateTesting
import Synchronization

@testable import documentation

/// Time-lines of what happens outside: bytes, files, connections, notifications, controls and signals.
extension DocumentedScenes {
    static func places(_ scene: TimeLineScene, _ name: String) -> Bool {
        switch name {
        case "Frames frames":
            let bytes = scene.cold("bytes").assertNoFailure().map { text in
                Bytes(text.utf8.filter { $0 != UInt8(ascii: "\"") }.map { $0 < 0x3A ? $0 - 0x30 : $0 })
            }
            let frames = bytes.setFailureType(to: SystemError.self).frames(lengthBytes: 1)
            scene.show(frames.map { String($0) }, as: "frames")
        case "JSONLines values":
            let lines = scene.cold("lines").map { $0 == "\"\"" ? [] : Array($0.utf8) }
            scene.show(lines.decodingJSONLines(as: [String: Int].self).map { $0["n"] ?? 0 }, as: "values")
        case "Publisher+Write write":
            let path = NSTemporaryDirectory() + "headgate-time-line-\(UUID().uuidString)"
            let outcome = Outcome()
            scene.retain(written(in: scene).write(to: File(path), mode: .replace) { outcome.take($0.bytes) })
            show(outcome, in: scene)
            scene.retain(AnyCancellable { try? FileManager.default.removeItem(atPath: path) })
        case "Connection+Writing write":
            guard let (near, far) = connectedPair(in: scene) else { return false }
            let outcome = Outcome()
            scene.retain(written(in: scene).write(to: near) { outcome.take($0.bytes) })
            scene.retain(far.bytes().sink(receiveCompletion: { _ in }, receiveValue: { _ in }))
            show(outcome, in: scene)
        case "Publisher+UnderWay underWay":
            let signal = PassthroughSubject<Void, Never>()
            let shutdown = GracefulShutdown(on: signal, deadline: .zero, scheduler: scene.scheduler)
            scene.show(scene.hot("self").underWay(in: shutdown), as: "underWay")
            scene.send("deadline", value: { _ in signal.send() })
            scene.retain(AnyCancellable { _ = shutdown })
        case "NotificationCenter+Publisher self":
            let center = NotificationCenter()
            scene.show(center.publisher(for: Notification.Name("a")).map(\.name.rawValue), as: "self")
            scene.send("center", value: { center.post(name: Notification.Name($0), object: nil) })
        case "ControlPublisher self":
            let field = TextField()
            scene.show(field.publisher(for: .editingChanged).map { _ in "f" }, as: "self")
            scene.send("field", value: { field.insertText($0) })
        default: return false
        }
        return true
    }

    static func observing(_ scene: TimeLineScene, _ name: String) -> Bool {
        switch name {
        case "CircuitBreaker breaker open":
            let policy = CircuitBreakerPolicy(failures: 1, openFor: .seconds(100))
            let breakers = (0...1).map { CircuitBreaker(policy, name: "\($0)", scheduler: scene.scheduler) }
            scene.retain(
                Fail<String, Broken>(error: Broken()).circuitBreaker(breakers[1]) { _ in Broken() }
                    .sink(receiveCompletion: { _ in }, receiveValue: { _ in }))
            for (breaker, name) in zip(breakers, ["breaker closed", "breaker open"]) {
                scene.show(scene.cold("self").circuitBreaker(breaker) { _ in Broken() }, as: name)
            }
        case "PrintingTimeLine printingTimeLine":
            scene.show(
                scene.cold("self").printingTimeLine("", clock: scene.scheduler) { _ in }, as: "printingTimeLine")
        case "Validated report":
            let source = Deaf()
            scene.send("self", value: source.send, finish: source.finish)
            let validated = source.validated("") { report in
                if report.breach.rule == .valuesAgainstDemand { scene.note(.value("r"), as: "report") }
            }
            scene.show(validated, as: "validated", requests: "requests")
        case "Breakpoint breakpointOnError":
            // A signal that is blocked waits, and then finds a handler.
            var (blocked, previous) = (sigset_t(), sigset_t())
            sigemptyset(&blocked)
            sigaddset(&blocked, SIGTRAP)
            pthread_sigmask(SIG_BLOCK, &blocked, &previous)
            let handler = signal(SIGTRAP) { _ in wasTrapped.store(true, ordering: .relaxed) }
            let (stop, restored) = (blocked, previous)
            scene.show(
                scene.cold("self").breakpointOnError().handleEvents(receiveCompletion: { _ in
                    var (stop, restored) = (stop, restored)
                    pthread_sigmask(SIG_UNBLOCK, &stop, nil)
                    signal(SIGTRAP, handler)
                    pthread_sigmask(SIG_SETMASK, &restored, nil)
                    if !wasTrapped.exchange(false, ordering: .relaxed) { scene.note(.cancel, as: "breakpointOnError") }
                }), as: "breakpointOnError")
        default: return false
        }
        return true
    }

    private static func written(in scene: TimeLineScene) -> some Publisher<Bytes, Broken> {
        scene.cold("self").map { Bytes($0) }
    }

    /// A writer's outcome arrives on its queue: at the completion, the scene waits for it, and not before.
    private static func show(_ outcome: Outcome, in scene: TimeLineScene) {
        let end = scene.signs(of: "self").last?.column ?? 0
        for column in 0...end {
            // After what is sent in this column.
            scene.atTheEnd(of: column) {
                if column == end { waitUntil(timeout: 30_000) { outcome.isKnown } }
                if let bytes = outcome.leave() { scene.note(.value("\(bytes)"), as: "write") }
            }
        }
    }

    private static func connectedPair(in scene: TimeLineScene) -> (Connection, Connection)? {
        let listener = Listener(port: 0)
        guard let address = try? listener.bind() else { return nil }
        let accepted = TestSubscriber<Connection, SystemError>(.unlimited)
        let connected = TestSubscriber<Connection, SystemError>(.unlimited)
        listener.subscribe(accepted)
        Connection.connect(to: address).subscribe(connected)
        waitUntil(timeout: 30_000) { !accepted.values.isEmpty && !connected.values.isEmpty }
        accepted.cancel()
        guard let near = connected.values.first, let far = accepted.values.first else { return nil }
        return (near, far)
    }
}

private let wasTrapped = Atomic(false)

/// What a writer has reported.
private final class Outcome: Sendable {
    private let bytes = Mutex<Int?>(nil)

    var isKnown: Bool { bytes.withLock { $0 != nil } }

    func take(_ count: Int) { bytes.withLock { $0 = count } }

    func leave() -> Int? { bytes.withLock { $0.take() } }
}

/// A publisher that knows nothing of demand.
private final class Deaf: Publisher {
    typealias Output = String
    typealias Failure = Broken

    private var subscriber: AnySubscriber<String, Broken>?

    func receive(subscriber: some Subscriber<String, Broken>) {
        self.subscriber = AnySubscriber(subscriber)
        subscriber.receive(subscription: Subscriptions.empty)
    }

    func send(_ value: String) { _ = subscriber?.receive(value) }

    func finish(_ completion: Subscribers.Completion<Broken>) { subscriber?.receive(completion: completion) }
}
