import Glibc
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

final class FollowTests: XCTestCase {
    private let folder = Folder()

    private func follow(
        _ file: File, from start: FollowingStart = .beginning
    ) -> TestSubscriber<String, SystemError> {
        let subscriber = TestSubscriber<String, SystemError>.checked(.unlimited)
        file.follow(from: start, rotateWait: .seconds(0)).lines().subscribe(subscriber)
        return subscriber
    }

    private func append(_ text: String) { folder.write(Array(text.utf8), to: "log", append: true) }

    func test_publishesWhatIsThereAndWhatIsAdded() {
        let subscriber = follow(File(folder.write("one\n", to: "log")))
        eventually { subscriber.values == ["one"] }
        append("two\nthr")
        eventually { subscriber.values == ["one", "two"] }
        append("ee\n")
        eventually { subscriber.values == ["one", "two", "three"] }
        subscriber.cancel()
    }

    /// The slash before it and the mark with which the name begins are one character of a text.
    func test_aNameMayBeginWithAMarkThatCombines() {
        let name = "\u{301}log"
        let log = CallLog()
        let subscriber = follow(File(folder[name], calls: log.calls))
        eventually("it has found nothing") { log["stat"] >= 2 }
        folder.write("one\n", to: name)
        eventually { subscriber.values == ["one"] }
        subscriber.cancel()
    }

    func test_fromTheEndWhatIsThereIsDropped() {
        let log = CallLog()
        let subscriber = follow(File(folder.write("old\n", to: "log"), calls: log.calls), from: .end)
        eventually { log["pread"] > 1 }
        append("new\n")
        eventually { subscriber.values == ["new"] }
        subscriber.cancel()
    }

    func test_aHundredFilesTakeAFewThreads() {
        let before = threadCount()
        var most = 0
        let followers = (0..<100).map { number in
            defer { most = max(most, threadCount()) }
            return follow(File(folder.write("\(number)\n", to: "log.\(number)")))
        }
        func waitUntilAllHave(_ count: Int) {
            eventually {
                most = max(most, threadCount())
                return followers.allSatisfy { $0.values.count == count }
            }
        }
        waitUntilAllHave(1)
        for number in followers.indices { folder.write(Array("more\n".utf8), to: "log.\(number)", append: true) }
        waitUntilAllHave(2)
        // It is eight and less; a busy machine is taken for a slow disk, for which more are started.
        XCTAssertLessThanOrEqual(most - before, 24)
        for follower in followers { follower.cancel() }
    }

    func test_manyFilesShareOneQueueOfTheKernel() {
        eventually { FileWatches.shared.closeUnused() }
        let log = CallLog()
        let base = openDescriptorCount()
        let followers = (0..<200).map { number in
            let path = folder.write("\(number)\n", to: "log.\(number)")
            return follow(File(path, calls: log.calls))
        }
        eventually { followers.indices.allSatisfy { followers[$0].values == ["\($0)"] } }
        XCTAssertEqual(log["inotify_init1"], 1)
        for number in followers.indices { folder.write(Array("more\n".utf8), to: "log.\(number)", append: true) }
        eventually { followers.indices.allSatisfy { followers[$0].values == ["\($0)", "more"] } }
        // Two streams of one file share its watch.
        let twin = follow(File(folder["log.0"], calls: log.calls))
        eventually { twin.values.count == 2 }
        followers[0].cancel()
        folder.write(Array("last\n".utf8), to: "log.0", append: true)
        eventually { twin.values.last == "last" }
        for follower in followers + [twin] { follower.cancel() }
        // The process keeps its poller, and the queue.
        eventually("everything is closed") { openDescriptorCount() <= base + 2 }
    }

    func test_goesOnWithTheFileThatTakesItsPlace() {
        let subscriber = follow(File(folder.write("one\n", to: "log")))
        eventually { subscriber.values == ["one"] }
        for round in 0..<20 {
            append("last of \(round)\n")
            rename(folder["log"], folder["log.1"])
            folder.write("first of \(round)\n", to: "log")
            eventually { subscriber.values.last == "first of \(round)" }
        }
        XCTAssertEqual(
            subscriber.values, ["one"] + (0..<20).flatMap { ["last of \($0)", "first of \($0)"] })
        subscriber.cancel()
    }

    func test_goesOnWhereTheFileIsCutToNothing() {
        let subscriber = follow(File(folder.write("one\ntwo\n", to: "log")))
        eventually { subscriber.values.count == 2 }
        truncate(folder["log"], 0)
        append("new\n")
        eventually { subscriber.values.last == "new" }
        subscriber.cancel()
    }

    func test_waitsForAFileThatIsMissingOrDeleted() {
        let log = CallLog()
        let subscriber = follow(File(folder["log"], calls: log.calls))
        eventually("it has found nothing") { log["stat"] >= 2 }
        append("one\n")
        eventually { subscriber.values == ["one"] }
        unlink(folder["log"])
        append("two\n")
        eventually { subscriber.values == ["one", "two"] }
        subscriber.cancel()
    }

    func test_aNamedPipeIsReadAcrossTheComingAndGoingOfItsWriters() {
        mkfifo(folder["log"], 0o600)
        let subscriber = follow(File(folder["log"]))
        for round in 0..<3 {
            append("line \(round)\n")
            eventually { subscriber.values.count == round + 1 }
        }
        XCTAssertNil(subscriber.completion)
        subscriber.cancel()
    }

    func test_whatIsNotRequestedStaysInTheFile() {
        let log = CallLog()
        let subscriber = TestSubscriber<String, SystemError>.checked(.first(1))
        File(folder.write("one\ntwo\n", to: "log"), calls: log.calls).follow(from: .beginning).lines()
            .subscribe(subscriber)
        eventually { subscriber.values == ["one"] }
        let reads = log["pread"]
        // Another stream of the file, which is told of every change with this one.
        let other = follow(File(folder["log"]))
        for (number, line) in ["three\n", "four\n", "five\n"].enumerated() {
            append(line)
            eventually { other.values.count == 3 + number }
        }
        other.cancel()
        XCTAssertEqual(log["pread"], reads)
        subscriber.request(.max(2))
        eventually { subscriber.values == ["one", "two", "three"] }
        subscriber.cancel()
    }

    func test_aMissingFolderAndADirectoryAreFailures() {
        let missing = follow(File("\(folder.path)/no/log"))
        eventually { missing.failure?.code == ENOENT }
        let directory = follow(File(folder.path))
        eventually { directory.failure?.code == EISDIR }
    }

    func test_aFolderThatIsRemovedIsAFailure() {
        mkdir(folder["sub"], 0o700)
        let log = CallLog()
        let subscriber = follow(File(folder["sub/log"], calls: log.calls))
        eventually("it has found nothing") { log["stat"] >= 2 }
        rmdir(folder["sub"])
        eventually { subscriber.failure?.code == ENOENT }
    }

    func test_everyCallThatASignalInterruptsIsMadeAgain() {
        eventually { FileWatches.shared.closeUnused() }
        let log = CallLog { _, number in number < 2 ? .fail(EINTR) : .proceed }
        let subscriber = follow(File(folder.write("one\n", to: "log"), calls: log.calls))
        eventually { subscriber.values == ["one"] }
        XCTAssertTrue(
            log.names.isSuperset(of: ["inotify_init1", "inotify_add_watch", "stat", "lstat", "open", "fstat", "pread"]))
        subscriber.cancel()
    }

    func test_closesEverythingWhenCancelled() {
        let before = openDescriptorCount()
        for _ in 0..<20 {
            let subscriber = follow(File(folder.write("one\n", to: "log")))
            eventually { subscriber.values == ["one"] }
            subscriber.cancel()
        }
        eventually { openDescriptorCount() <= before + 3 }
    }

    func test_aStandardStreamCannotBeFollowed() {
        // Not even where there is a file of that name.
        let subscriber = follow(.standardInput)
        eventually { subscriber.failure == SystemError(call: "follow", code: EINVAL, subject: "standard input") }
    }

    func test_withoutDescriptorsLeftItFailsAndDoesNotCrash() {
        eventually { FileWatches.shared.closeUnused() }
        for call in ["inotify_init1", "open"] {
            let log = CallLog { name, _ in name == call ? .fail(EMFILE) : .proceed }
            let subscriber = follow(File(folder.write("one\n", to: "log"), calls: log.calls))
            eventually { subscriber.failure?.code == EMFILE }
            XCTAssertEqual(subscriber.failure?.call, call)
            XCTAssertEqual(subscriber.failure?.subject, folder["log"])
        }
        let log = CallLog { name, _ in name == "inotify_add_watch" ? .fail(ENOSPC) : .proceed }
        let subscriber = follow(File(folder["log"], calls: log.calls))
        eventually { subscriber.failure?.code == ENOSPC }
        XCTAssertEqual(
            subscriber.failure?.description,
            "inotify_add_watch \(folder["log"]): The limit fs.inotify.max_user_watches is reached")
    }
}
