import Headgate
import HeadgateTesting

@testable import documentation

/// A time-line of which several rows are carried out: subscribers that come later, requests, or streams within streams.
///
/// Each of its rows either goes in or is compared with what has happened.
// Confined to the thread of the test, on which the executor runs the tasks, too.
final class TimeLineScene: @unchecked Sendable {
    typealias Events = [(column: TestTime, sign: TimeLine.Sign)]

    let scheduler = TestScheduler()
    private let executor = TestExecutor(runsAtOnce: true)
    private let start: TestTime
    private let rows: [DocumentedTimeLine.Row]
    private var recordings: [Int: Recording] = [:]
    private var used: Set<Int> = []
    private var problems: [String] = []

    // In a column, requests and cancellations are first, then what is sent, then new subscribers.
    private var sends: [() -> Void] = []
    private var late: [() -> Void] = []
    private var retained: [AnyCancellable] = []

    init(_ line: DocumentedTimeLine) {
        rows = line.rows
        start = scheduler.now
    }

    func hasRow(_ name: String) -> Bool { rows.contains { $0.name == name } }

    /// The signs of a row, which is found by its name, and by its place among those of this name.
    private func index(of name: String, _ place: Int) -> Int? {
        // A row of dashes has no events, and says so.
        let found = rows.indices.filter { index in
            let row = rows[index]
            return row.name == name && (!row.signs.isEmpty || Set(row.words) == ["-"])
        }
        if found.count > place { return found[place] }
        problems.append("There is no row \"\(name)\" with events.")
        return nil
    }

    /// Does something in a column.
    func at(_ column: Int, _ action: @escaping () -> Void) {
        scheduler.schedule(after: start.advanced(by: .seconds(column))) { action() }
    }

    /// Does something in a column, after what is sent then.
    func atTheEnd(of column: Int, _ action: @escaping () -> Void) {
        late.append { [unowned self] in at(column, action) }
    }

    /// The columns of a row's signs, which goes in.
    func signs(of name: String, _ place: Int = 0) -> [(column: Int, sign: TimeLine.Sign)] {
        guard let index = index(of: name, place) else { return [] }
        used.insert(index)
        return rows[index].signs
    }

    /// A subject that sends a row, whoever listens.
    func hot(_ name: String, to subject: some Subject<String, Broken> = PassthroughSubject<String, Broken>()) -> Texts {
        send(name, value: subject.send, finish: { subject.send(completion: $0) })
        return subject.eraseToAnyPublisher()
    }

    func send(
        _ name: String, value: @escaping (String) -> Void,
        finish: @escaping (Subscribers.Completion<Broken>) -> Void = { _ in }
    ) {
        let signs = signs(of: name)
        sends.append { [unowned self] in
            for (column, sign) in signs {
                at(column) {
                    switch sign {
                    case .value(let text): value(text)
                    case .finish: finish(.finished)
                    case .failure: finish(.failure(Broken()))
                    default: break
                    }
                }
            }
        }
    }

    /// A stream that begins with each subscriber and delivers what is requested.
    func cold(_ name: String, _ place: Int = 0) -> Texts {
        guard let index = index(of: name, place) else { return Empty().eraseToAnyPublisher() }
        used.insert(index)
        return TimeLineRun.texts(rows[index], on: scheduler)
    }

    /// Subscribes where the row begins, and requests what another row says.
    func show<P: Publisher>(
        _ publisher: P, as name: String, _ place: Int = 0, at column: Int? = nil, requests: String? = nil
    ) {
        guard let index = index(of: name, place) else { return }
        let demand = requests.map { signs(of: $0) }
        let subscribe = { [unowned self] in
            record(publisher, as: name, place, demand: demand == nil ? .unlimited : .none)
        }
        let column = column ?? rows[index].start
        if column == 0 { subscribe() } else { late.append { [unowned self] in at(column, subscribe) } }
        for (column, sign) in demand ?? [] {
            at(column) { [unowned self] in
                if case .request(let count) = sign { recordings[index]?.subscription?.request(count) }
                if sign == .cancel { recordings[index]?.subscription?.cancel() }
            }
        }
        for (column, sign) in rows[index].signs where sign == .cancel {
            at(column) { [unowned self] in
                recordings[index]?.subscription?.cancel()
                note(.cancel, as: name, place)
            }
        }
    }

    /// Subscribes now.
    func record<P: Publisher>(
        _ publisher: P, as name: String, _ place: Int = 0, demand: Subscribers.Demand = .unlimited
    ) {
        guard let recording = recording(name, place) else { return }
        executor.adopt { publisher.texts.subscribe(recording.subscriber(demand)) }
    }

    /// Something that happens now.
    func note(_ sign: TimeLine.Sign, as name: String, _ place: Int = 0) { recording(name, place)?.add(sign) }

    /// Runs a task from the beginning on.
    func run(_ body: @escaping @Sendable () async -> Void) {
        sends.append { [unowned self] in _ = executor.adopt { Task(executorPreference: executor, operation: body) } }
    }

    /// Waits for a column.
    func reach(_ column: Int) async {
        await withCheckedContinuation { continuation in at(column) { continuation.resume() } }
    }

    /// Work that is drawn between brackets: it begins now, and ends where the row says.
    func work(_ name: String) async {
        note(.begin, as: name)
        guard let index = index(of: name, 0) else { return }
        let isAhead: (Int) -> Bool = { self.start.advanced(by: .seconds($0)) > self.scheduler.now }
        if let end = rows[index].signs.first(where: { $0.sign == .end && isAhead($0.column) }) {
            await reach(end.column)
        }
        note(.end, as: name)
    }

    func retain(_ cancellable: some Cancellable) { retained.append(AnyCancellable(cancellable)) }

    private func recording(_ name: String, _ place: Int) -> Recording? {
        guard let index = index(of: name, place) else { return nil }
        if recordings[index] == nil { recordings[index] = Recording(scheduler) }
        return recordings[index]
    }

    /// What is not as it is drawn.
    func differences() -> [String] {
        for action in sends + late { action() }
        scheduler.advance(to: start.advanced(by: .seconds(100)))
        for (index, row) in rows.enumerated() where !row.signs.isEmpty {
            if let recording = recordings[index] {
                if let difference = row.difference(from: recording.events) {
                    problems.append("\(row.name) \(difference)")
                }
            } else if !used.contains(index) {
                problems.append("The row \"\(row.name)\" is neither carried out nor compared.")
            }
        }
        return problems
    }

    /// What has happened in a row.
    private final class Recording {
        private(set) var events: Events = []
        var subscription: (any Subscription)?
        private let scheduler: TestScheduler

        init(_ scheduler: TestScheduler) { self.scheduler = scheduler }

        func add(_ sign: TimeLine.Sign) { events.append((scheduler.now, sign)) }

        func subscriber(_ demand: Subscribers.Demand) -> AnySubscriber<String, Broken> {
            AnySubscriber(
                receiveSubscription: { subscription in
                    self.subscription = subscription
                    if demand > .none { subscription.request(demand) }
                },
                receiveValue: { value in
                    self.add(.value(value))
                    return .none
                },
                receiveCompletion: { end in self.add(end == .finished ? .finish : .failure) })
        }
    }
}
