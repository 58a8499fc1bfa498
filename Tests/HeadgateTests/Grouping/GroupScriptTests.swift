import Headgate
import HeadgateTesting
import TestSupport
import XCTest

/// One stream of groups, of which a test does anything at any time, also inside deliveries.
private final class GroupScript {
    typealias Group = GroupedPublisher<Int, Int, Never>

    static let count = 60

    private var random: SeededGenerator
    private var actsLeft = 80
    private var published = 0
    private var dropped: [Int] = []
    private var unread: [Group] = []
    private var readers: [TestSubscriber<Int, Never>] = []
    private var cancelled: Set<Int> = []
    /// Whether the stream of groups may be cancelled, too, after which its groups end when they are read to the end or cancelled.
    private let endsEarly: Bool
    private var hasEnded = false
    private var groups: TestSubscriber<Group, Never>!

    init(seed: UInt64, endsEarly: Bool) {
        random = SeededGenerator(seed: seed)
        self.endsEarly = endsEarly
    }

    private func chance(_ most: Int) -> Int { Int.random(in: 1...most, using: &random) }

    private func read(_ demand: Subscribers.Demand) {
        if unread.isEmpty { return }
        let group = unread.remove(at: chance(unread.count) - 1)
        let reader = TestSubscriber<Int, Never>.checked { [unowned self] _, value in
            XCTAssertEqual(value % 4, group.key)
            act()
        }
        readers.append(reader)
        group.subscribe(reader)
        reader.request(demand)
    }

    private func act() {
        if actsLeft == 0 { return }
        actsLeft -= 1
        switch chance(endsEarly ? 11 : 10) {
        case 1...2: groups.request(.max(chance(3)))
        case 3...5: read(chance(3) == 1 ? .unlimited : .max(chance(2)))
        case 6...9: readers.randomElement(using: &random)?.request(.max(chance(3)))
        case 11 where chance(4) == 1:
            hasEnded = true
            groups.cancel()
        default:
            guard let index = readers.indices.randomElement(using: &random) else { return }
            cancelled.insert(index)
            readers[index].cancel()
        }
    }

    func run() {
        groups = .checked { [unowned self] _, group in
            unread.append(group)
            act()
        }
        let whenFull: Publishers.GroupOverflow<Never> = chance(2) == 1 ? .drop : .finishIdlest
        (0..<Self.count).publisher
            .handleEvents(receiveOutput: { [unowned self] _ in published += 1 })
            .groupBy(
                limit: 1 + chance(4), buffer: chance(4), whenFull: whenFull,
                onDrop: { [unowned self] in dropped.append($0) }, { $0 % 4 }
            )
            .subscribe(groups)
        while actsLeft > 0 { act() }
        groups.request(.unlimited)
        repeat {
            while !unread.isEmpty { read(.unlimited) }
            for reader in readers { reader.request(.unlimited) }
        } while !unread.isEmpty
    }

    func check(_ message: String) {
        if !hasEnded {
            XCTAssertEqual(published, Self.count, message)
            XCTAssertTrue(groups.hasFinished, message)
        }
        for (index, reader) in readers.enumerated() {
            XCTAssertTrue(reader.hasFinished || cancelled.contains(index), message)
            XCTAssertEqual(reader.values, reader.values.sorted(), message)
        }
        XCTAssertEqual((readers.flatMap(\.values) + dropped).sorted(), Array(0..<published), message)
    }
}

final class GroupScriptTests: XCTestCase {
    func test_everyValueIsDeliveredOrDroppedWhateverIsDoneWithTheGroups() {
        for seed in 0..<UInt64(Scale.reduced(5_000)) {
            for endsEarly in [false, true] {
                let script = GroupScript(seed: seed, endsEarly: endsEarly)
                script.run()
                script.check("seed \(seed), \(endsEarly)")
            }
        }
    }
}
