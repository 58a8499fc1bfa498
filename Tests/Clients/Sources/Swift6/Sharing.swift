import Combine
import Dispatch
import Foundation

// Streams that cross threads, tasks and actors, as programs use them: no unchecked conformance, nothing declared unsafe and
// no import under old rules.

/// Counts the ticks of a timer, for a view.
@MainActor
final class Stopwatch: ObservableObject {
    @Published private(set) var ticks = 0

    private var running: AnyCancellable?

    func start(every interval: TimeInterval) {
        running = Timer.publish(every: interval, on: .main, in: .common).autoconnect()
            .scan(0) { count, _ in count + 1 }
            .sink { [weak self] in self?.ticks = $0 }
    }

    func stop() { running = nil }
}

/// Works on a queue of its own, and delivers on the main queue or to the task that awaits it.
final class Thumbnails: Sendable {
    private let queue = DispatchQueue(label: "thumbnails")

    func thumbnails(of numbers: [Int]) -> some Publisher<String, Never> {
        numbers.publisher.receive(on: queue)
            .map { [queue] number in
                dispatchPrecondition(condition: .onQueue(queue))
                return "thumbnail \(number)"
            }
    }

    @MainActor func show(_ numbers: [Int], with show: @escaping @MainActor (String) -> Void) -> AnyCancellable {
        thumbnails(of: numbers).receive(on: DispatchQueue.main).sink { result in
            MainActor.assumeIsolated { show(result) }
        }
    }
}

enum LoadError: Error, Equatable { case missing }

/// An interface with completion handlers.
func load(_ name: String, completion: @escaping @Sendable (Result<Int, LoadError>) -> Void) {
    DispatchQueue.global().async { completion(name == "there" ? .success(name.count) : .failure(.missing)) }
}

/// The same as futures, from a completion handler and from a task.
func loading(_ name: String) -> Future<Int, LoadError> {
    Future { promise in load(name, completion: promise) }
}

func loadingInTask(_ name: String) -> Future<Int, LoadError> {
    Future { promise in
        Task {
            do throws(LoadError) {
                promise(.success(try await loadAsync(name)))
            } catch {
                promise(.failure(error))
            }
        }
    }
}

func loadAsync(_ name: String) async throws(LoadError) -> Int {
    if name != "there" { throw .missing }
    return name.count
}

/// A bus that tasks share.
struct Bus: Sendable {
    let events = PassthroughSubject<Int, Never>()

    let total = CurrentValueSubject<Int, Never>(0)
}

/// An actor that publishes what becomes of its state.
actor Account {
    private let state = CurrentValueSubject<Int, Never>(0)

    nonisolated var balance: AnyPublisher<Int, Never> { state.removeDuplicates().eraseToAnyPublisher() }

    private var watch: AnyCancellable?

    private(set) var log: [Int] = []

    func deposit(_ amount: Int) { state.value += amount }

    /// A publisher may be handed to an actor, too.
    func follow(_ other: sending AnyPublisher<Int, Never>) async {
        for await value in other.values {
            log.append(value)
            if log.count == 2 { return }
        }
    }

    func close() { state.send(completion: .finished) }
}

@MainActor
enum Sharing {
    static func check() async {
        await checkQueue()
        await checkFutures()
        await checkSubjects()
        await checkActors()
        await checkDelay()
    }

    /// Runs the main run loop, which nothing does on Linux once an asynchronous `main` has waited.
    static func checkTimer() {
        let watch = Stopwatch()
        var seen: [Int] = []
        let ticks = watch.$ticks.sink { seen.append($0) }
        watch.start(every: 0.001)
        let end = Date() + 60
        while seen.count < 4, Date() < end { _ = RunLoop.main.run(mode: .default, before: Date() + 0.01) }
        watch.stop()
        ticks.cancel()
        Main.check("a timer of a view", Array(seen.prefix(4)), [0, 1, 2, 3])
    }

    private static func checkQueue() async {
        let expected = (1...3).map { "thumbnail \($0)" }
        let thumbnails = Thumbnails()
        var results: [String] = []
        for await result in thumbnails.thumbnails(of: [1, 2, 3]).values { results.append(result) }
        Main.check("work on a queue", results, expected)
        results = []
        let showing = thumbnails.show([1, 2, 3]) { results.append($0) }
        for _ in 0..<60_000 where results.count < 3 { try? await Task.sleep(nanoseconds: 1_000_000) }
        Main.check("work that is shown on the main queue", results, expected)
        showing.cancel()
    }

    private static func checkFutures() async {
        for future in [loading, loadingInTask] {
            let found = try? await future("there").value
            Main.check("a future", found, 5)
            do {
                _ = try await future("nowhere").value
                Main.check("a future that fails", true, false)
            } catch {
                Main.check("a future that fails", error as? LoadError, .missing)
            }
        }
    }

    private static func checkSubjects() async {
        let bus = Bus()
        let adding = bus.events.sink { @Sendable value in bus.total.value += value }
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask { for number in 0..<100 { bus.events.send(task * 100 + number) } }
            }
        }
        Main.check("a subject of four tasks", bus.total.value, 399 * 400 / 2)
        adding.cancel()
    }

    private static func checkActors() async {
        let account = Account()
        let second = Account()
        async let following: Void = second.follow(account.balance)
        for _ in 0..<1000 where await second.log.isEmpty { await Task.yield() }
        while await second.log.isEmpty { try? await Task.sleep(nanoseconds: 1_000_000) }
        await account.deposit(5)
        await following
        let log = await second.log
        Main.check("a publisher between actors", log, [0, 5])
        await account.close()
    }

    private static func checkDelay() async {
        let began = DispatchTime.now().uptimeNanoseconds
        var arrived: [Int] = []
        let queue = DispatchQueue(label: "delay")
        let delayed = (1...2).publisher.delay(for: .milliseconds(5), scheduler: queue)
        for await value in delayed.values { arrived.append(value) }
        Main.check("a delay on a queue", arrived, [1, 2])
        Main.check("its length", DispatchTime.now().uptimeNanoseconds - began >= 5_000_000, true)
    }
}
