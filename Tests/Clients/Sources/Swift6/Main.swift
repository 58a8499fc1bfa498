#if canImport(Combine)
    import Combine
#else
    #error("There is no Combine.")
#endif
import Foundation

/// Runs every check, and fails where one of them does.
@main
@MainActor
enum Main {
    static var failures = 0

    static func main() async {
        checkQualifiedNames()
        checkTutorials()
        checkViewModel()
        checkFoundation()
        Sharing.checkTimer()
        await checkConcurrency()
        await Sharing.check()

        if failures > 0 { exit(1) }
        print("ok")
    }

    static func check<T: Equatable>(_ name: String, _ found: T, _ expected: T) {
        if found == expected { return }
        failures += 1
        print("\(name): found \(found), expected \(expected)")
    }

    static func checkQualifiedNames() {
        var log: [String] = []
        let subscriber = Combine.AnySubscriber<Int, Never>(
            receiveSubscription: { $0.request(Combine.Subscribers.Demand.max(2)) },
            receiveValue: {
                log.append("\($0)")
                return .none
            })
        let counted = Counted(upstream: [1, 2, 3].publisher, note: { log.append($0) })
        counted.receive(subscriber: subscriber)
        check("a subscription that is a structure", log, ["request max(2)", "1", "2"])
    }

    static func checkViewModel() {
        let model = Model()
        var log: [String] = []
        let changes = model.objectWillChange.sink { log.append("will change") }
        let names = model.$name.dropFirst().sink { log.append($0) }
        model.name = "a"
        Combine.Just("b").assign(to: &model.$name)
        check("a view model", log, ["will change", "a", "will change", "b"])
        changes.cancel()
        names.cancel()
    }

    static func checkFoundation() {
        var log: [String] = []
        var bag = Set<AnyCancellable>()
        let name = Notification.Name("changed")
        NotificationCenter.default.publisher(for: name).map(\.name.rawValue).sink { log.append($0) }.store(in: &bag)
        NotificationCenter.default.post(name: name, object: nil)
        Just(#"{"id":7}"#).map { Data($0.utf8) }.decode(type: Item.self, decoder: JSONDecoder())
            .sink(receiveCompletion: { log.append("\($0)") }, receiveValue: { log.append("\($0.id)") })
            .store(in: &bag)
        let end = Date() + 60
        Timer.publish(every: 0.001, on: .main, in: .default).autoconnect().first().map { _ in "tick" }
            .receive(on: RunLoop.main).sink { log.append($0) }.store(in: &bag)
        while log.count < 4, Date() < end { _ = RunLoop.main.run(mode: .default, before: Date() + 0.01) }
        check("Foundation's part", log, ["changed", "7", "finished", "tick"])
    }

    static func checkConcurrency() async {
        var log: [Int] = []
        for await value in (1...3).publisher.asyncMap({ $0 * 2 }).values { log.append(value) }
        check("asyncMap", log, [2, 4, 6])
    }
}

struct Item: Codable { let id: Int }

final class Model: ObservableObject {
    @Published var name = ""
}

/// Names of Combine, qualified, because the client has types of the same names.
struct Counted<Upstream: Combine.Publisher>: Combine.Publisher {
    typealias Output = Upstream.Output
    typealias Failure = Upstream.Failure

    let upstream: Upstream
    let note: (String) -> Void

    func receive<S: Combine.Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        upstream.receive(
            subscriber: Combine.AnySubscriber<Output, Failure>(
                receiveSubscription: { subscriber.receive(subscription: Noting(inner: $0, note: note)) },
                receiveValue: { subscriber.receive($0) }, receiveCompletion: { subscriber.receive(completion: $0) }))
    }

    private struct Noting: Combine.Subscription {
        let inner: any Combine.Subscription
        let note: (String) -> Void

        var combineIdentifier: Combine.CombineIdentifier { inner.combineIdentifier }

        func request(_ demand: Combine.Subscribers.Demand) {
            note("request \(demand)")
            inner.request(demand)
        }

        func cancel() { inner.cancel() }
    }
}

/// Types of the client's own that have the names of Combine's.
struct Subscription { let plan: String }
struct Record { let id: Int }
