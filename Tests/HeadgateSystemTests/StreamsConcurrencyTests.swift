import HeadgateCore
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

/// Demand and cancellation from threads that the streams know nothing of.
final class StreamsConcurrencyTests: XCTestCase {
    private let folder = Folder()

    func test_linesLoseNothingWhenTwoThreadsRequestThem() {
        let count = Scale.reduced(20_000)
        let text = (0..<count).map { "line \($0)\n" }.joined()
        let subscriber = TestSubscriber<String, SystemError>.checked()
        File(folder.write(text, to: "file")).bytes(chunkSize: 1000).lines().subscribe(subscriber)
        onThreads(2) { _ in
            for _ in 0..<(count / 2) { subscriber.request(.max(1)) }
        }
        eventually { subscriber.values.count == count }
        eventually { subscriber.hasFinished }
        XCTAssertEqual(subscriber.values, (0..<count).map { "line \($0)" })
    }

    func test_cancellingWhileAnotherThreadRequestsClosesTheFile() {
        let before = openDescriptorCount()
        for _ in 0..<Scale.reduced(1000) {
            let subscriber = TestSubscriber<Bytes, SystemError>.checked()
            File("/dev/zero").bytes(chunkSize: 16).subscribe(subscriber)
            onThreads(2) { number in
                if number == 0 { subscriber.request(.max(10)) } else { subscriber.cancel() }
            }
        }
        eventually { openDescriptorCount() <= before }
    }

    func test_whatIsReadWhileAnotherThreadCancelsIsNotDelivered() {
        let before = openDescriptorCount()
        let path = folder.write("several chunks", to: "file")
        let subscriber = TestSubscriber<Bytes, SystemError>.checked()
        let log = CallLog { call, _ in
            if call == "read" { onThreads(1) { _ in subscriber.cancel() } }
            return .proceed
        }
        File(path, calls: log.calls).bytes(chunkSize: 2).subscribe(subscriber)
        subscriber.request(.max(2))
        eventually { log["read"] == 1 && openDescriptorCount() <= before }
        XCTAssertEqual(subscriber.values, [])
    }

    func test_cancellingWhileAPipeBecomesReadableClosesIt() throws {
        let before = openDescriptorCount()
        for _ in 0..<Scale.reduced(500) {
            let pipe = try SystemCalls.live.pipe()
            let subscriber = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
            PollingPublisher(name: "pipe", on: { .sharing("test") }) { () throws(SystemError) in
                DescriptorSource(pipe.reading, kind: .nonBlocking, chunkSize: 16)
            }
            .subscribe(subscriber)
            onThreads(2) { number in
                if number == 0 { try? pipe.writing.close() } else { subscriber.cancel() }
            }
        }
        eventually { openDescriptorCount() <= before + 2 }
    }

    func test_cancellingAWriterWhileValuesComeClosesItsFile() {
        let before = openDescriptorCount()
        let path = folder["file"]
        for _ in 0..<Scale.reduced(500) {
            let upstream = PassthroughSubject<Bytes, Never>()
            let writing = upstream.write(to: File(path)) { _ in }
            let cancellable = AnyCancellable(writing.cancel)
            onThreads(2) { number in
                if number == 0 {
                    for _ in 0..<5 { upstream.send("text") }
                } else {
                    cancellable.cancel()
                }
            }
        }
        // Dispatch opens some of its own when it first needs them.
        eventually { openDescriptorCount() <= before + 4 }
    }
}
