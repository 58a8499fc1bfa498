import Dispatch
import Headgate
import HeadgateSystem
import HeadgateTesting
import HeadgateTestingTimers

/// What is done in time-lines of several rows, by the names that `TimeLineRun` gives them.
enum DocumentedScenes {
    static func prepared(_ scene: TimeLineScene, named name: String) -> Bool {
        let families = [
            sources, subjects, sharing, splitting, demand, events, recovery, resources, ends, tasks, awaiting, actors,
            places,
            observing,
        ]
        return families.contains { $0(scene, name) }
    }

    private static func sources(_ scene: TimeLineScene, _ name: String) -> Bool {
        switch name {
        case "Just Just(7)": scene.show(Just("7"), as: "Just(7)")
        case "Fail Fail(error: e)": scene.show(Fail<String, Broken>(error: Broken()), as: "Fail(error: e)")
        case "Empty Empty()":
            scene.show(Empty<String, Broken>(), as: "Empty()")
            scene.show(Empty<String, Broken>(completeImmediately: false), as: "Empty(completeImmediately: false)")
        case "Optional publisher": scene.show(Optional("1").publisher, as: "publisher")
        case "Record Record(output: [1, 2], completion: .failure(e))":
            scene.show(
                Record(output: ["1", "2"], completion: .failure(Broken())),
                as: "Record(output: [1, 2], completion: .failure(e))")
        case "Sequence (1...3).publisher": scene.show((1...3).publisher, as: "(1...3).publisher")
        case "Create create { subscriber in … }":
            nonisolated(unsafe) var subscriber: Publishers.Create<String, Broken>.Subscriber?
            let created = AnyPublisher<String, Broken>.create {
                subscriber = $0
                return AnyCancellable {}
            }
            scene.send("", value: { subscriber?.send($0) }, finish: { subscriber?.send(completion: $0) })
            scene.show(created, as: "")
        case "TestTimer timer":
            scene.show(
                Publishers.timer(scheduler: scene.scheduler, interval: .seconds(4), times: .max(3)).map { _ in "t" },
                as: "timer")
        case "Update subject":
            let subject = CurrentValueSubject<Int, Broken>(0)
            scene.show(subject, as: "subject")
            for column in [4, 8, 12] { scene.at(column) { subject.update { $0 += 1 } } }
            scene.at(16) { subject.send(completion: .finished) }
        case "Update $level":
            let model = Model()
            scene.show(model.$count, as: "$level")
            for column in [4, 8, 12] { scene.at(column) { model.$count.update { $0 += 1 } } }
        default: return false
        }
        return true
    }

    private static func subjects(_ scene: TimeLineScene, _ name: String) -> Bool {
        switch name {
        case "PassthroughSubject late", "ReplaySubject late", "CurrentValueSubject late":
            let subject: any Subject<String, Broken> =
                switch name {
                case "ReplaySubject late": ReplaySubject<String, Broken>(bufferSize: 2)
                case "CurrentValueSubject late": CurrentValueSubject<String, Broken>("")
                default: PassthroughSubject<String, Broken>()
                }
            showEarlyAndLate(subject, in: scene)
        case "PassthroughRelay late":
            let relay = PassthroughRelay<String>()
            scene.send("relay", value: relay.accept)
            scene.show(relay, as: "late")
        case "CurrentValueRelay late":
            let relay = CurrentValueRelay("")
            scene.send("relay", value: relay.accept)
            scene.show(relay, as: "late")
        case "Future subscribed later":
            var promise: Future<String, Never>.Promise?
            let future = Future<String, Never> { promise = $0 }
            scene.send("promise", value: { promise?(.success($0)) })
            scene.show(future, as: "Future")
            scene.show(future, as: "subscribed later")
        case "SubjectConnection subject":
            let subject = PassthroughSubject<String, Broken>()
            scene.show(subject, as: "subject")
            scene.retain(scene.hot("self").subscribe(subject))
        default: return false
        }
        return true
    }

    /// What a subject with a current value holds first is the first that is sent.
    private static func showEarlyAndLate(_ subject: some Subject<String, Broken>, in scene: TimeLineScene) {
        let published = scene.hot("subject", to: subject)
        // After the value of the first column, which a subject holds from the beginning.
        let isCurrent = subject is CurrentValueSubject<String, Broken>
        let early = isCurrent ? published.dropFirst().eraseToAnyPublisher() : published
        scene.show(early, as: "early")
        scene.show(published, as: "late")
    }

    private static func sharing(_ scene: TimeLineScene, _ name: String) -> Bool {
        switch name {
        case "Autoconnect upstream":
            let shared = scene.hot("self").handleEvents(
                receiveSubscription: { _ in scene.note(.request(.unlimited), as: "upstream") },
                receiveCancel: { scene.note(.cancel, as: "upstream") }
            ).assertNoFailure().makeConnectable().autoconnect()
            scene.show(shared, as: "first")
            scene.show(shared, as: "second")
        case "AutoconnectAfter upstream":
            let shared = Empty<String, Broken>(completeImmediately: false).handleEvents(
                receiveSubscription: { _ in scene.note(.begin, as: "upstream") },
                receiveCancel: { scene.note(.end, as: "upstream") }
            ).assertNoFailure().makeConnectable().autoconnect(after: 2, grace: .seconds(4), scheduler: scene.scheduler)
            scene.note(.begin, as: "first")
            scene.show(shared, as: "first")
            scene.at(4) { scene.note(.begin, as: "second") }
            scene.show(shared, as: "second")
        case "MakeConnectable connect()":
            let source = scene.hot("self").assertNoFailure().makeConnectable()
            scene.show(source, as: "")
            connect(source, in: scene)
        case "Multicast second":
            let source = scene.hot("self").multicast { PassthroughSubject<String, Broken>() }
            scene.show(source, as: "first")
            scene.show(source, as: "second")
            connect(source, in: scene)
        case "Multicast subject":
            let subject = PassthroughSubject<String, Broken>()
            scene.show(subject, as: "subject")
            connect(scene.hot("self").multicast(subject: subject), in: scene)
        case "Share second":
            let shared = scene.hot("self").share()
            scene.show(shared, as: "first")
            scene.show(shared, as: "second")
        case "ShareAndReplay late":
            let shared = scene.hot("self").share(replay: 2)
            scene.show(shared, as: "early")
            scene.show(shared, as: "late")
        case "ShareReplay very late":
            let shared = scene.hot("self").shareReplay(capacity: 2)
            scene.show(shared, as: "early")
            scene.show(shared, as: "late")
            scene.show(shared, as: "very late")
        case "ShareReplay later":
            let shared = scene.hot("self").share(replay: 2, for: .seconds(10), scheduler: scene.scheduler)
            for name in ["early", "late", "later"] { scene.show(shared, as: name) }
        case "Cached later":
            var runs = [scene.cold("self"), scene.cold("again")]
            let cached = Deferred { runs.removeFirst() }.cached(for: .seconds(20), scheduler: scene.scheduler)
            for name in ["early", "late", "later"] { scene.show(cached, as: name) }
        case "ShareUntilFailure later":
            var runs = [scene.cold("self"), scene.cold("again")]
            let shared = Deferred { runs.removeFirst() }.shareUntilFailure()
            for name in ["first", "later"] { scene.show(shared, as: name) }
        case "Broadcast slow":
            let shared = scene.cold("self").broadcast(to: 2, limit: 2)
            scene.show(shared, as: "fast")
            scene.show(shared, as: "slow", requests: "requests")
        default: return false
        }
        return true
    }

    private static func connect<Source: ConnectablePublisher>(_ source: Source, in scene: TimeLineScene) {
        for (column, _) in scene.signs(of: "connect()") { scene.at(column) { scene.retain(source.connect()) } }
    }

    private static func splitting(_ scene: TimeLineScene, _ name: String) -> Bool {
        let isEven: (String) -> Bool = { Int($0).map { $0.isMultiple(of: 2) } ?? false }
        switch name {
        case "Partition nonMatches":
            let (matches, others) = scene.hot("self").partition(isEven)
            scene.show(matches, as: "matches")
            scene.show(others, as: "nonMatches")
        case "GroupBy b":
            let groups = scene.hot("self").groupBy(limit: 2, whenFull: .fail { Broken() }, isEven)
            scene.show(
                groups.map { group in
                    let name = group.key ? "b" : "a"
                    scene.record(group, as: name)
                    return name
                }, as: "")
        case "Window c":
            var names = ["a", "b", "c"]
            scene.show(
                scene.hot("self").window(count: 2, unread: .hold).map { window in
                    let name = names.removeFirst()
                    scene.record(window, as: name)
                    return name
                }, as: "")
        default: return false
        }
        return true
    }

    private static func demand(_ scene: TimeLineScene, _ name: String) -> Bool {
        switch name {
        case "Prefetch prefetch 4": scene.show(scene.hot("self").prefetch(4), as: "", requests: "requests")
        case "Buffer demand":
            let source = scene.hot("self").buffer(size: 3, prefetch: .byRequest, whenFull: .dropOldest)
            scene.show(source, as: "", requests: "demand")
        case "Conflate conflate": scene.show(scene.hot("self").conflate(), as: "conflate", requests: "requests")
        case "Conflate batchWhileBusy":
            scene.show(scene.hot("self").batchWhileBusy(limit: 16), as: "batchWhileBusy", requests: "requests")
        case "OnBackpressure dropped" where scene.hasRow("onBackpressureDrop"):
            let source = scene.hot("self").onBackpressureDrop { scene.note(.value($0), as: "dropped") }
            scene.show(source, as: "onBackpressureDrop", requests: "requests")
        case "OnBackpressure dropped":
            let source = scene.hot("self").onBackpressureBuffer(limit: 2, whenFull: .dropOldest) {
                scene.note(.value($0), as: "dropped")
            }
            scene.show(source, as: "onBackpressureBuffer", requests: "requests")
        case "RecordingDemand recordingDemand":
            scene.show(
                scene.cold("self").recordingDemand(into: DemandLedger()), as: "recordingDemand", requests: "demand")
        case "Always Always(7)": scene.show(Always("7"), as: "Always(7)", requests: "subscriber")
        case "Unfold unfold":
            let countdown = Publishers.unfold(3) { number -> String? in
                defer { number -= 1 }
                return number > 0 ? "\(number)" : nil
            }
            scene.show(countdown, as: "unfold", requests: "subscriber")
        case "Emitter emitter":
            var emitter: Emitter<String, Never>?
            let emitted = Publishers.emitter(String.self, buffering: .latest) { emitter = $0 }
            scene.send("emitter", value: { emitter?.send($0) }, finish: { _ in emitter?.finish() })
            scene.show(emitted, as: "", requests: "subscriber")
        default: return false
        }
        return true
    }

    private static func events(_ scene: TimeLineScene, _ name: String) -> Bool {
        let ten: (String) -> String = { "\((Int($0) ?? 0) * 10)" }
        switch name {
        case "MapMany mapMany *10": scene.show(scene.cold("self").map(items).mapMany(ten), as: "")
        case "MapMany filterMany even":
            scene.show(scene.cold("self").map(items).filterMany { (Int($0) ?? 1).isMultiple(of: 2) }, as: "")
        case "Materialize materialize": scene.show(scene.cold("self").materialize().map { sign(of: $0) }, as: "")
        case "MapToResult mapToResult":
            scene.show(
                scene.cold("self").mapToResult().map { result in (try? result.get()) ?? "x" }, as: "")
        case "Dematerialize dematerialize": scene.show(drawnEvents(in: scene).dematerialize(), as: "")
        case "Dematerialize values()": scene.show(drawnEvents(in: scene).values(), as: "")
        case "Dematerialize failures()": scene.show(drawnEvents(in: scene).failures().map { _ in "e" }, as: "")
        case "Decode decode from JSON":
            scene.show(scene.cold("self").decode(type: String.self, decoder: Plain()), as: "")
        case "Encode encode as JSON": scene.show(scene.cold("self").encode(encoder: Plain()), as: "")
        case "Expand expand 1: 2, 3  2: 4":
            let found = ["1": ["2", "3"], "2": ["4"]]
            scene.show(
                scene.cold("self").expand(limit: 8, whenFull: .skip) { value in
                    // Three columns for each: otherwise all would arrive at once.
                    (found[value] ?? []).publisher.setFailureType(to: Broken.self).flatMap(maxPublishers: .max(1)) {
                        Just($0).setFailureType(to: Broken.self).delay(for: .seconds(3), scheduler: scene.scheduler)
                    }
                }, as: "")
        case "Lines lines": scene.show(bytes("bytes", in: scene).lines(), as: "lines")
        case "Lines byteLines":
            scene.show(
                bytes("self", in: scene).byteLines().map { String(decoding: $0, as: UTF8.self) }, as: "")
        case "Carrying carrying":
            scene.show(scene.cold("self").carrying(Locals.$name), as: "carrying")
        case "FlatMapSequential flatMapSequential":
            let inner = [scene.cold("flatMapSequential"), scene.cold("")]
            scene.show(
                scene.hot("self").flatMapSequential(maxConcurrent: 2) { value in
                    inner[value == "1" ? 0 : 1].map { value + $0 }
                }, as: "", 1, at: 0)
        case "FlatMapFailures failures":
            let inner = [scene.cold("flatMap"), scene.cold("")]
            scene.show(
                scene.cold("self").flatMap(failures: .afterValues) { inner[$0 == "1" ? 0 : 1] }, as: "failures",
                requests: "requests")
        case "Stalls stalls":
            scene.show(
                scene.hot("self").onStall(for: .seconds(10), scheduler: scene.scheduler) { _ in
                    scene.note(.value("s"), as: "stalls")
                }, as: "")
        case "KillSwitch stopped":
            let killSwitch = KillSwitch()
            scene.send("switch", value: { _ in killSwitch.turnOff() })
            scene.show(scene.hot("self").stopped(by: killSwitch), as: "stopped")
        case "Undeliverable onUndeliverable":
            let source = Careless()
            scene.send("self", value: source.send)
            scene.show(
                source.onUndeliverable { event in
                    if case .value(let value) = event { scene.note(.value(value), as: "onUndeliverable") }
                }, as: "downstream")
        default: return false
        }
        return true
    }

    private static func recovery(_ scene: TimeLineScene, _ name: String) -> Bool {
        switch name {
        case "RetryWhen trigger", "RetryWhen again":
            var attempts = [scene.cold("self"), scene.cold("again")]
            let source = Deferred { attempts.removeFirst() }
            let trigger = scene.hot("trigger")
            scene.show(source.retryWhen { _ in trigger }, as: "")
        case "RetryByPolicy again":
            var attempts = [scene.cold("self"), scene.cold("again"), scene.cold("again", 1)]
            let source = Deferred { attempts.removeFirst() }
            let policy = RetryPolicy(
                retries: 2, backoff: .exponential(initial: .seconds(4), factor: 2, cap: .seconds(100)))
            scene.show(source.retry(policy, scheduler: scene.scheduler), as: "")
        default: return false
        }
        return true
    }

    private static func resources(_ scene: TimeLineScene, _ name: String) -> Bool {
        switch name {
        case "Resource resource":
            let resource = Publishers.resource {
                scene.note(.begin, as: "file")
                return ["a", "b", "c"].makeIterator()
            } read: { file in
                file.next()
            } close: { _ in
                scene.note(.end, as: "file")
            }
            scene.show(resource, as: "resource", requests: "requests")
        case "Using using":
            let publisher = scene.cold("publisher")
            let using = Publishers.using { () throws(Broken) in
                scene.note(.begin, as: "resource")
            } publisher: {
                publisher
            } release: {
                scene.note(.end, as: "resource")
            }
            scene.show(using, as: "using")
        case "UsingWhen usingWhen":
            let (publisher, release) = (scene.cold("publisher"), scene.cold("release"))
            let using = Publishers.usingWhen(acquire: scene.cold("acquire")) { _ in
                publisher
            } release: { _, _ in
                release
            }
            scene.show(using, as: "usingWhen")
        default: return false
        }
        return true
    }

    private static func ends(_ scene: TimeLineScene, _ name: String) -> Bool {
        switch name {
        case "Sink receiveCompletion":
            scene.retain(
                scene.hot("self").sink(
                    receiveCompletion: { _ in scene.note(.finish, as: "receiveCompletion") },
                    receiveValue: { scene.note(.value($0), as: "receiveValue") }))
        case "Sink receiveValue":
            scene.retain(
                scene.hot("self").assertNoFailure().sink { scene.note(.value($0), as: "receiveValue") })
        case "Assign object.x":
            let object = Watched { scene.note(.value($0), as: "object.x") }
            scene.retain(scene.hot("self").assertNoFailure().assign(to: \.text, on: object))
        case "PausableSink receiveValue":
            var isResumed = false
            let sink = scene.cold("self").assertNoFailure().pausableSink(
                receiveCompletion: { _ in scene.note(.finish, as: "") },
                receiveValue: { value in
                    scene.note(.value(value), as: isResumed ? "" : "receiveValue")
                    return isResumed || value != "2"
                })
            for (column, _) in scene.signs(of: "resume()") {
                scene.at(column) {
                    isResumed = true
                    sink.resume()
                }
            }
            scene.retain(sink)
        case "HoldValue publisher":
            let holder = HoldValue("")
            scene.send("value", value: { holder.value = $0 })
            // The first value is the one that it holds from the beginning.
            scene.show(holder.publisher.dropFirst(), as: "publisher")
        case "Published $property":
            let model = Model()
            scene.show(model.$text.dropFirst(), as: "$property")
            scene.hot("self").assertNoFailure().assign(to: &model.$text)
            scene.retain(AnyCancellable { _ = model })
        case "Deferred Deferred":
            let deferred = Deferred { () -> Empty<String, Never> in
                scene.note(.finish, as: "Deferred")
                return Empty()
            }
            for (column, _) in scene.signs(of: "subscribers") {
                scene.at(column) { scene.retain(deferred.sink { _ in }) }
            }
        case "Optional nil.publisher":
            scene.show(Optional("7").publisher, as: "Optional(7).publisher")
            scene.show(String?.none.publisher, as: "nil.publisher")
        case "Result Result.failure(e).publisher":
            scene.show(Result<String, Broken>.success("7").publisher, as: "Result.success(7).publisher")
            scene.show(Result<String, Broken>.failure(Broken()).publisher, as: "Result.failure(e).publisher")
        default: return false
        }
        return true
    }

    /// The elements of an array as it is drawn: `[1,2]`.
    private static func items(_ text: String) -> [String] {
        text.filter { !"[] ".contains($0) }.split(separator: ",").map(String.init)
    }

    /// A stream of events, in which a failure is a value.
    private static func drawnEvents(in scene: TimeLineScene) -> AnyPublisher<Event<String, Broken>, Never> {
        let subject = PassthroughSubject<Event<String, Broken>, Never>()
        scene.send("self", value: { subject.send(.value($0)) }) { end in
            if end == .finished {
                subject.send(completion: .finished)
            } else {
                subject.send(.failure(Broken()))
            }
        }
        return subject.eraseToAnyPublisher()
    }

    /// Pieces of bytes, in which `\\n` ends a line.
    private static func bytes(_ name: String, in scene: TimeLineScene) -> some Publisher<Bytes, SystemError> {
        scene.cold(name).assertNoFailure().map { text in
            Bytes(text.filter { $0 != "\"" }.replacing("\\n", with: "\n").utf8)
        }.setFailureType(to: SystemError.self)
    }

    private static func sign(of event: Event<String, Broken>) -> String {
        switch event {
        case .value(let value): value
        case .failure: "x"
        case .finished: "|"
        }
    }
}

private enum Locals {
    @TaskLocal static var name = ""
}

private final class Model {
    @Published var text = ""
    @Published var count = 0
}

/// A coder of texts that are their own code.
private struct Plain: TopLevelDecoder, TopLevelEncoder {
    func decode<T: Decodable>(_ type: T.Type, from text: String) throws -> T {
        guard let text = text as? T else { throw Broken() }
        return text
    }

    func encode<T: Encodable>(_ value: T) throws -> String { "\(value)" }
}

private final class Watched {
    var text = "" { didSet { report(text) } }
    private let report: (String) -> Void

    init(report: @escaping (String) -> Void) { self.report = report }
}

/// A publisher that is delivering a value while it is cancelled, and sends nothing after that.
private final class Careless: Publisher {
    typealias Output = String
    typealias Failure = Broken

    private var deliver: ((String) -> Void)?
    private var isCancelled = false

    func receive(subscriber: some Subscriber<String, Broken>) {
        deliver = { _ = subscriber.receive($0) }
        subscriber.receive(subscription: Subscriptions.empty)
    }

    func send(_ value: String) {
        if isCancelled { return }
        if value != "1" { isCancelled = true }
        deliver?(value)
    }
}
