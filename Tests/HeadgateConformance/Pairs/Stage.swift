import Headgate
import HeadgateTesting
import HeadgateVerification

/// An operator between two others: the expression that users write, and what it does to a list of events.
struct Stage {
    typealias Stream = AnyPublisher<Int, VerificationFailure>

    struct Traits: OptionSet {
        let rawValue: Int

        /// What comes out depends on when it is requested: the model knows it for unlimited demand only.
        static let paced = Traits(rawValue: 1)

        /// Requests values by and by though everything is requested of it.
        static let limits = Traits(rawValue: 2)

        /// Requests values before anything is requested of it, as its documentation says.
        static let requestsFirst = Traits(rawValue: 4)

        /// Requests everything though something is requested of it by and by.
        static let requestsAll = Traits(rawValue: 8)

        /// Subscribes or requests when time has passed.
        static let requestsLater = Traits(rawValue: 16)

        /// A failure comes out at once, before values that wait for demand.
        static let failsAtOnce = Traits(rawValue: 32)

        /// Requests everything, though something is requested of it by and by, of an upstream that isn't known to wait for
        /// demand: it may lose nothing that is sent, as in Combine.
        static let takesAllUnlessItWaits = Traits(rawValue: 64)

        /// Requests everything when everything is requested of it, though it needs values by and by, of an upstream that
        /// isn't known to deliver what is requested before the request returns.
        static let takesAllUnlessItAnswers = Traits(rawValue: 128)

        /// Delivers when it is subscribed to, while operators after it may still be connecting: what these make of it
        /// depends on whether they keep, drop or merge values meanwhile.
        static let sendsByItself = Traits(rawValue: 256)

        /// Delivers what it has requested some time later.
        static let takesTime = Traits(rawValue: 512)

        /// Reads everything at once, whatever is requested, and drops it.
        static let discards = Traits(rawValue: 1024)

        /// What is requested inside a delivery reaches the source when the call has returned, or later: what it waits for is
        /// known only then.
        static let requestsLateInside = Traits(rawValue: 2048)

        /// Requests the next value of a source after it has delivered one, as its documentation says.
        static let requestsAfterDelivery = Traits(rawValue: 4096)

        /// Cancels on its scheduler, as in Combine.
        static let cancelsLater = Traits(rawValue: 8192)

        /// Reduces what there is to a result.
        static let reduces: Traits = [.requestsFirst, .requestsAll]
    }

    let name: String
    let traits: Traits
    let location: Location
    let apply: (Stream, TestScheduler) -> Stream
    var model: (Flow) -> Flow

    /// Whether there are endless sources of which it publishes nothing after a while, and yet doesn't end.
    var mayDropEverything: Bool {
        [0, 1, 2].contains { first in
            (0...3).contains { rest in
                let values = [first] + Array(repeating: rest, count: 100)
                let read = model(.list(values, nil)).begin(0, Reading(takesEverything: true, limit: 1000))
                var count = 0
                while let moment = read() {
                    if moment.event.isEnd { return false }
                    count += 1
                }
                return count < 10
            }
        }
    }

    /// A place in a source file.
    struct Location {
        let file: String
        let line: Int
        /// What makes an `AnyPublisher<Int, VerificationFailure>` of the expression.
        let suffix: String
    }
}

// The same for the three kinds of failures that operators have.
extension Stage {
    static func stage<P: Publisher<Int, VerificationFailure> & Sendable>(
        _ name: String, _ make: @escaping (Stream, TestScheduler) -> P, _ traits: Traits = [],
        file: String = #filePath, line: Int = #line, is model: @escaping (Flow) -> Flow
    ) -> Stage {
        Stage(name: name, traits: traits, location: .init(file: file, line: line, suffix: "")) {
            make($0, $1).eraseToAnyPublisher()
        } model: {
            model($0)
        }
    }

    static func stage<P: Publisher<Int, Never> & Sendable>(
        _ name: String, _ make: @escaping (Stream, TestScheduler) -> P, _ traits: Traits = [],
        file: String = #filePath, line: Int = #line, is model: @escaping (Flow) -> Flow
    ) -> Stage {
        let suffix = ".setFailureType(to: VerificationFailure.self)"
        return Stage(name: name, traits: traits, location: .init(file: file, line: line, suffix: suffix)) {
            make($0, $1).setFailureType(to: VerificationFailure.self).eraseToAnyPublisher()
        } model: {
            model($0)
        }
    }

    static func stage<P: Publisher<Int, any Error> & Sendable>(
        _ name: String, _ make: @escaping (Stream, TestScheduler) -> P, _ traits: Traits = [],
        file: String = #filePath, line: Int = #line, is model: @escaping (Flow) -> Flow
    ) -> Stage {
        let suffix = ".mapError { _ in VerificationFailure.upstreamFailed }"
        return Stage(name: name, traits: traits, location: .init(file: file, line: line, suffix: suffix)) {
            make($0, $1).mapError { _ in VerificationFailure.upstreamFailed }.eraseToAnyPublisher()
        } model: {
            model($0)
        }
    }
}

/// What a chain begins with.
struct Source {
    /// Counts what is pulled, and drives what has to be driven.
    final class Drive {
        let scheduler = TestScheduler()
        private(set) var pulled = 0
        let limit: Int
        var sends: [(time: Int, event: Flow.Event)] = []
        var send: ((Flow.Event) -> Void)?

        init(limit: Int) { self.limit = limit }

        /// Counts an element; ends at the limit, so that nothing runs for ever.
        func pull() -> Bool {
            pulled += 1
            return pulled <= limit
        }

        var isExhausted: Bool { pulled > limit }
    }

    let name: String
    /// A Swift expression for it.
    let code: String
    var isHot = false
    var isEndless = false
    let make: (Drive) -> any Publisher<Int, VerificationFailure> & Sendable
    let flow: Flow
}
