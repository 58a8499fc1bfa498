import Headgate
import HeadgateTesting

/// How the work grows with the number of members, subscribers, keys or levels of an operator, or of values that it keeps.
///
/// `Benchmarks/growth` runs all cases with few and with many, and compares the numbers of instructions.
struct Growth {
    let name: String
    let run: (_ count: Int) -> Void

    static var all: [Growth] {
        collections + subjects + senders + inner + levels + attempts + subscribers + values + timed + tasks
    }

    /// Runs cases one after the other.
    ///
    /// A case counts from one mark to the next. What it needs only once, such as the metadata of its types, it has
    /// obtained before.
    static func run(_ cases: [Growth], _ count: Int) {
        for growth in cases {
            growth.run(20)
            mark()
            growth.run(count)
            mark()
        }
    }
}

extension Publisher {
    /// Counts what arrives.
    func drain() -> AnyCancellable {
        sink(receiveCompletion: { _ in }, receiveValue: { _ in Opaque.add(1) })
    }
}

extension Growth {
    /// A case with a publisher of numbers.
    static func through<P: Publisher>(
        _ name: String, _ make: @escaping (Publishers.Sequence<Range<Int>, Never>, _ count: Int) -> P
    ) -> Growth {
        Growth(name: name) { count in _ = make((0..<count).publisher, count).drain() }
    }

    /// A case with a publisher of numbers and with virtual time, which goes on until nothing is scheduled.
    static func onTime<P: Publisher>(
        _ name: String, _ make: @escaping (Publishers.Sequence<Range<Int>, Never>, TestScheduler) -> P
    ) -> Growth {
        Growth(name: name) { count in
            let time = TestScheduler()
            let sink = make((0..<count).publisher, time).drain()
            time.runUntilIdle(limit: .max)
            sink.cancel()
        }
    }
}
