import Glibc
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

final class DirectoryTests: XCTestCase {
    private let folder = Folder()

    /// Begins to watch, and returns when watching has begun.
    private func watch(
        recursive: Bool = false, _ script: DemandScript = .unlimited
    ) -> TestSubscriber<DirectoryChange, SystemError> {
        let log = CallLog { _, number in number == 0 ? .fail(EINTR) : .proceed }
        let subscriber = TestSubscriber<DirectoryChange, SystemError>.checked(script)
        Directory(folder.path, calls: log.calls).changes(recursive: recursive).subscribe(subscriber)
        let folders = [folder.path] + (recursive ? ["old"].map { folder[$0] }.filter { access($0, F_OK) == 0 } : [])
        eventually { folders.allSatisfy { isWatched($0) } }
        return subscriber
    }

    func test_reportsWhatIsCreatedModifiedMovedAndDeleted() {
        let subscriber = watch()
        folder.write("one", to: "a")
        eventually { subscriber.values == [.created("a"), .modified("a")] }
        rename(folder["a"], folder["b"])
        eventually { subscriber.values.last == .moved(from: "a", to: "b") }
        unlink(folder["b"])
        eventually { subscriber.values.last == .deleted("b") }
        XCTAssertEqual(subscriber.values.count, 4)
        subscriber.cancel()
    }

    func test_whatIsMovedInIsCreatedAndWhatIsMovedOutIsDeleted() {
        let other = Folder()
        let subscriber = watch()
        other.write("", to: "file")
        rename(other["file"], folder["file"])
        eventually { subscriber.values == [.created("file")] }
        rename(folder["file"], other["file"])
        eventually { subscriber.values.last == .deleted("file") }
        subscriber.cancel()
    }

    func test_aTreeIsWatchedAsItGrowsMovesAndShrinks() {
        mkdir(folder["old"], 0o700)
        let subscriber = watch(recursive: true)
        folder.write("x", to: "old/file")
        eventually { subscriber.values == [.created("old/file"), .modified("old/file")] }
        _ = system("mkdir -p '\(folder.path)/a/b/c' && touch '\(folder.path)/a/b/c/d'")
        let grown: Set<DirectoryChange> = [.created("a"), .created("a/b"), .created("a/b/c"), .created("a/b/c/d")]
        eventually { Set(subscriber.values.dropFirst(2)) == grown }
        XCTAssertEqual(subscriber.values.count, 6)
        rename(folder["a"], folder["z"])
        eventually { subscriber.values.last == .moved(from: "a", to: "z") }
        folder.write("x", to: "z/b/c/d")
        eventually { subscriber.values.last == .modified("z/b/c/d") }
        _ = system("rm -r '\(folder.path)/z'")
        eventually { subscriber.values.last == .deleted("z") }
        subscriber.cancel()
    }

    func test_withoutRecursionWhatIsDeeperIsNotReported() {
        mkdir(folder["sub"], 0o700)
        let subscriber = watch()
        folder.write("x", to: "sub/file")
        folder.write("", to: "file")
        eventually { subscriber.values == [.created("file")] }
        subscriber.cancel()
    }

    func test_anOverflowOfTheKernelsQueueIsReported() {
        let subscriber = watch(.first(1))
        let files = ["a", "b"].map { fopen(folder[$0], "w") }
        for _ in 0..<20_000 {
            for file in files { _ = Glibc.write(fileno(file), "x", 1) }
        }
        for file in files { fclose(file) }
        subscriber.request(.unlimited)
        eventually { subscriber.values.contains(.overflow) }
        folder.write("", to: "after")
        eventually { subscriber.values.last == .created("after") }
        subscriber.cancel()
    }

    func test_finishesWhenTheDirectoryIsDeletedAndFailsWhereThereIsNone() {
        let subscriber = watch()
        rmdir(folder.path)
        eventually { subscriber.hasFinished }
        let missing = TestSubscriber<DirectoryChange, SystemError>.checked(.unlimited)
        Directory(folder.path).changes(recursive: true).subscribe(missing)
        eventually { missing.failure?.code == ENOENT }
        let file = TestSubscriber<DirectoryChange, SystemError>.checked(.unlimited)
        Directory("/dev/null").changes(recursive: true).subscribe(file)
        eventually { file.failure?.code == ENOTDIR }
    }

    func test_publishesAsManyChangesAsAreRequested() {
        let subscriber = watch(.first(2))
        for name in ["a", "b", "c"] { mkdir(folder[name], 0o700) }
        eventually { subscriber.values == [.created("a"), .created("b")] }
        subscriber.request(.max(1))
        eventually { subscriber.values.last == .created("c") }
        subscriber.cancel()
    }

    func test_closesEverythingAndReleasesItsSubscriberWhenCancelled() {
        let before = openDescriptorCount()
        for _ in 0..<20 {
            weak var weakSubscriber: TestSubscriber<DirectoryChange, SystemError>?
            do {
                let subscriber = watch()
                weakSubscriber = subscriber
                subscriber.cancel()
            }
            eventually { weakSubscriber == nil }
        }
        eventually { openDescriptorCount() <= before + 4 }
    }

    func test_aDirectoryThatIsFoundInAListAndReportedIsLeftWithTheOthers() {
        eventually { FileWatches.shared.closeUnused() }
        let inner = folder["new/inner"]
        let log = CallLog { name, number in
            // The list of the new directory, which is watched by now.
            if name == "opendir", number == 1 { mkdir(inner, 0o700) }
            return .proceed
        }
        let subscriber = TestSubscriber<DirectoryChange, SystemError>.checked(.unlimited)
        Directory(folder.path, calls: log.calls).changes(recursive: true).subscribe(subscriber)
        eventually { isWatched(folder.path) }
        mkdir(folder["new"], 0o700)
        eventually { subscriber.values == [.created("new"), .created("new/inner")] }
        folder.write("x", to: "new/inner/file")
        eventually { subscriber.values.last == .modified("new/inner/file") }
        XCTAssertEqual(subscriber.values.count, 4)
        subscriber.cancel()
        eventually { FileWatches.shared.closeUnused() }
    }

    func test_whatCannotBeWatchedOrReadIsAFailureAndNotDropped() {
        mkdir(folder["sub"], 0o700)
        eventually { FileWatches.shared.closeUnused() }
        for (call, code) in [
            ("inotify_init1", EMFILE), ("inotify_add_watch", ENOSPC), ("inotify_add_watch", EACCES),
            ("opendir", EMFILE), ("opendir", EACCES),
        ] {
            for number in 0..<2 {
                let log = CallLog { name, count in name == call && count == number ? .fail(code) : .proceed }
                let subscriber = TestSubscriber<DirectoryChange, SystemError>.checked(.unlimited)
                Directory(folder.path, calls: log.calls).changes(recursive: true).subscribe(subscriber)
                if code == EACCES, number == 1 {
                    eventually("\(call)") { subscriber.values == [.unreadable("sub")] }
                    subscriber.cancel()
                    continue
                }
                eventually { subscriber.failure != nil || isWatched(folder["sub"]) }
                if log[call] > number {
                    eventually("the failure has arrived") { subscriber.failure != nil }
                    XCTAssertEqual(subscriber.failure?.call, call)
                    XCTAssertEqual(subscriber.failure?.code, code)
                }
                subscriber.cancel()
            }
        }
    }

    func test_allStreamsShareOneQueueOfTheKernel() {
        let names = (0..<150).map { "sub\($0)" }
        for name in names { mkdir(folder[name], 0o700) }
        let subscribers = names.map { name in
            let subscriber = TestSubscriber<DirectoryChange, SystemError>.checked(.unlimited)
            Directory(folder[name]).changes(recursive: false).subscribe(subscriber)
            return subscriber
        }
        let twin = TestSubscriber<DirectoryChange, SystemError>.checked(.unlimited)
        Directory(folder.path).changes(recursive: true).subscribe(twin)
        let file = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        File(folder["sub0/file"]).follow(from: .beginning).subscribe(file)
        eventually { names.allSatisfy { isWatched(folder[$0]) } }
        eventually { watchQueues().count == 1 }
        folder.write("text", to: "sub0/file")
        mkdir(folder["sub149/new"], 0o700)
        eventually { subscribers[0].values == [.created("file"), .modified("file")] }
        eventually { subscribers[149].values == [.created("new")] }
        eventually { file.text == "text" }
        // One stream of a directory ends, and the others go on.
        subscribers[149].cancel()
        rmdir(folder["sub149/new"])
        eventually { twin.values.last == .deleted("sub149/new") }
        for subscriber in subscribers + [twin] { subscriber.cancel() }
        file.cancel()
    }

    func test_manyShortStreamsDoNotReachTheLimitOfTheKernel() {
        for _ in 0..<300 {
            let changes = TestSubscriber<DirectoryChange, SystemError>.checked(.unlimited)
            Directory(folder.path).changes(recursive: false).subscribe(changes)
            let file = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
            File(folder["file"]).follow(from: .beginning).subscribe(file)
            eventually { isWatched(folder.path) }
            changes.cancel()
            file.cancel()
            XCTAssertNil(changes.failure)
            XCTAssertNil(file.failure)
        }
    }
}
