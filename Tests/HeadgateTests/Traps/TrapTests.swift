import Foundation
import TestSupport
import XCTest

/// A mistake of the program ends it, and says which rule was broken, by what, and what to write instead.
///
/// The mistakes are made by the executable `TrapProbe`, which is built beside the tests.
final class TrapTests: XCTestCase {
    func test_aNegativeDemandTraps() throws {
        try assertTraps("negative demand", with: "A demand can't be negative", ".max(-1)", "Use .none")
    }

    func test_aNegativeProductOfADemandTraps() throws {
        try assertTraps("negative product", with: "A demand can't be negative", "max(1) * -1", "zero or more")
    }

    func test_anUpdateThatChangesItsOwnSubjectTraps() throws {
        try assertTraps(
            "update inside an update", with: "The closure passed to update", "changed in every attempt", "send nothing")
    }

    func test_negativeCapacitiesTrap() throws {
        try assertTraps(
            "negative capacity", with: "The capacity of shareReplay is a number of values", "-1", "Use 0 to replay")
        try assertTraps("negative buffer", with: "The size of a buffer", "buffer(size: -1)", "Pass the number")
        try assertTraps(
            "asynchronous buffer of nothing", with: "A buffer must hold", "bounded(0)", "Use .onDemand")
    }

    func test_negativeCountsTrap() throws {
        try assertTraps("negative prefix", with: "A number of values", "prefix(-1)", "Use zero")
        try assertTraps("negative drop", with: "A number of values", "dropFirst(-1)", "Use zero")
        try assertTraps("negative retries", with: "The number of attempts", "retry(-1)", "Pass zero")
    }

    func test_whatCannotBePlayedOrStartedTraps() throws {
        try assertTraps(
            "marbles of another library", with: "A time-line consists of", "'ab', which is one value here and 2 values",
            "Write 'a-b'")
        try assertTraps(
            "start without an end", with: "A stream that is started ends", "always pending", "Pass disposed:")
        try assertTraps(
            "start in another order", with: "A publisher is created, subscribed to",
            "created at 2s, subscribed at 1s", "Pass times")
        try assertTraps("column of no time", with: "A column of a time-line", "0s", "milliseconds(500)")
    }

    func test_invalidEffortsTrap() throws {
        try assertTraps(
            "negative effort", with: "The numbers of an effort are not negative", "-1 random scripts",
            "Leave the defaults")
        try assertTraps(
            "subscriber without timeout", with: "The numbers of an effort are not negative", "0 ms",
            "Leave the defaults")
        try assertTraps(
            "negative number of upstreams", with: "An operator that joins upstreams", "joining: -1",
            "Verify a publisher without")
    }

    func test_anArrayOfNothingTraps() throws {
        try assertTraps("collect of nothing", with: "must hold at least one", "collect(0)", "Use a count above zero")
    }

    func test_aNegativeIntervalTraps() throws {
        try assertTraps("negative interval", with: "The interval of a timer", "seconds(-1)", "Use zero")
    }

    func test_aRecordingThatGoesOnAfterItsCompletionTraps() throws {
        try assertTraps(
            "recording behind its completion", with: "A recording can't receive", "the value 7",
            "Start with an empty")
    }

    func test_anAwaitedPromiseThatIsDroppedTraps() throws {
        try assertTraps("awaited promise that is dropped", with: "can't fail must be called", "released", "Call it on")
    }

    func test_aFailureWhereNoneIsExpectedTraps() throws {
        try assertTraps(
            "unexpected failure", with: "loading: this stream must not fail", "Failed()", "Handle the failure")
    }

    func test_mistakesOfTestsTrap() throws {
        try assertTraps(
            "stress of nothing", with: "A stress test has at least one round", "0 rounds", "Leave the defaults")
        try assertTraps(
            "repeated work without an interval", with: "The interval of repeated work", "0s", "Schedule the work once")
        try assertTraps("unreadable time-line", with: "A time-line consists of", "--1--?", "Use the signs")
    }

    func test_aBreachOfTheContractTrapsWithoutAHandler() throws {
        try assertTraps(
            "breach of the contract", with: "1.2 Values are delivered only against demand", "at source",
            "Verify the publisher")
    }

    func test_concurrencyBelowOneTraps() throws {
        let rule = "At least one value must be processed"
        try assertTraps("nothing at work", with: rule, "maxConcurrent: 0", "Pass 1")
        try assertTraps("less than nothing at work", with: rule, "maxConcurrent: -1", "Pass 1")
        try assertTraps("forEach with nothing at work", with: rule, "maxConcurrent: 0", "Pass 1")
    }

    func test_negativeNumbersOfAsynchronousWorkTrap() throws {
        try assertTraps(
            "negative number of collected values", with: "A number of values", "collected(upTo: -1)", "Use zero")
        try assertTraps("negative channel", with: "The capacity of a channel", "StreamChannel(capacity: -1)", "Use 0")
        try assertTraps("empty window", with: "A window must hold", "Windowed(size: 0)", "Pass 1")
        try assertTraps("negative emitter", with: "The bound of an emitter", "bounded(-1)", "Use .none")
    }

    func test_limitsAtWhichNothingCouldPassTrap() throws {
        let operations = [
            "flatMapSequential(maxConcurrent:)", "flatMapSequential(prefetch:)", "batchWhileBusy(limit:)",
            "onBackpressureBuffer(limit:)", "prefetch(_:)", "receive(on:prefetch:)", "rateLimit(_:)",
            "rateLimit(burst:)", "batch(count:)", "sliding(_:)", "sliding(step:)", "chunked(limit:)",
            "groupBy(limit:)", "groupBy(buffer:)", "window(count:)", "window(buffer:)", "parallel(_:)",
            "broadcast(to:)", "broadcast(limit:)", "partition(limit:)", "expand(limit:)",
        ]
        for operation in operations {
            try assertTraps("limit \(operation)", with: "A limit must be at least one", operation, "above zero")
        }
        try assertTraps("limit prefetch(2, low: 2)", with: "low mark", "low: 2", "zero to less than 2")
        try assertTraps("limit record(limit:)", with: "at least one event", "limit: 0", "the most recent events")
        try assertTraps("limit prefetch(2, low: -1)", with: "low mark", "low: -1", "zero to less than 2")
        try assertTraps("limit rateLimit(cost:)", with: "The cost of a value", "-2", "Return zero")
    }

    func test_mistakesInPoliciesTrap() throws {
        try assertTraps(
            "policy: negative retries of a policy", with: "The number of attempts", "-1 retries", "Pass zero")
        try assertTraps("policy: back-off that shrinks", with: "A backoff can't have", "factor: 0.5", "immediate")
        try assertTraps("policy: negative back-off", with: "A backoff can't have", "constant", "immediate")
        try assertTraps("policy: reset after nothing", with: "resets after", "0", "above zero")
        try assertTraps("policy: reset after no time", with: "resets after", "0.0 seconds", "above zero")
        try assertTraps(
            "policy: circuit breaker that counts nothing", with: "A circuit breaker needs", "0 failures", "above zero")
    }

    func test_negativeNumbersOfTurnsBuffersAndSubscribersTrap() throws {
        try assertTraps("policy: negative turns", with: "The number of repetitions", "repeat(times: -1)", "Pass zero")
        try assertTraps(
            "policy: memory of nothing", with: "must remember at least one value", "rememberingLast: 0", "above zero")
        try assertTraps("policy: batches of nothing", with: "A batch must contain", "of: 0", "above zero")
        try assertTraps("policy: negative buffer of a subject", with: "The size of the buffer", "-1", "Use 0")
        try assertTraps("policy: negative cache", with: "The limit of a cache", "limit: -1", "Use 0")
        try assertTraps(
            "policy: stall of no time", with: "counts as stalled", "onStall", "the longest silence")
        try assertTraps(
            "policy: connection without subscribers", with: "at least one subscriber", "after: 0", "one or more")
    }

    func test_theProbeSurvivesWhatIsNoMistake() throws {
        XCTAssertEqual(try outcome(ofMistake: "nothing of the kind").status, 0)
    }

    private func assertTraps(
        _ mistake: String, with rule: String, _ value: String, _ remedy: String, file: StaticString = #filePath,
        line: UInt = #line
    ) throws {
        let outcome = try outcome(ofMistake: mistake)
        let (status, message) = (outcome.status, outcome.message)
        XCTAssertNotEqual(status, 0, file: file, line: line)
        for part in [rule, "Found: ", value, remedy] {
            XCTAssertTrue(message.contains(part), "no \"\(part)\" in: \(message)", file: file, line: line)
        }
    }
}
