import Glibc
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

final class ListingTests: XCTestCase {
    private let folder = Folder()

    func test_publishesWhatIsThere() {
        folder.write("", to: "file")
        mkdir(folder["folder"], 0o700)
        symlink("file", folder["link"])
        mkfifo(folder["pipe"], 0o600)
        let entries = TestSubscriber<DirectoryEntry, SystemError>.checked(.unlimited)
        Directory(folder.path).entries().subscribe(entries)
        eventually { entries.hasFinished }
        XCTAssertEqual(
            Set(entries.values),
            [
                DirectoryEntry(name: "file", kind: .file), DirectoryEntry(name: "folder", kind: .directory),
                DirectoryEntry(name: "link", kind: .link), DirectoryEntry(name: "pipe", kind: .other),
            ])
        for (path, code) in [(folder["missing"], ENOENT), (folder["file"], ENOTDIR)] {
            let failing = TestSubscriber<DirectoryEntry, SystemError>.checked(.unlimited)
            Directory(path).entries().subscribe(failing)
            eventually { failing.failure?.code == code }
        }
    }

    func test_goesOnWithTheChangesWithoutAGap() {
        for name in ["a", "b"] { folder.write("", to: name) }
        mkdir(folder["sub"], 0o700)
        folder.write("", to: "sub/c")
        let changes = TestSubscriber<DirectoryChange, SystemError>.checked(.unlimited)
        Directory(folder.path).changes(recursive: true, startingWithEntries: true).subscribe(changes)
        for number in 0..<50 { folder.write("", to: "new \(number)") }
        func names() -> [String] {
            changes.values.compactMap { change in
                switch change {
                case .found(let name), .created(let name): name
                default: nil
                }
            }
        }
        eventually { names().count >= 54 }
        XCTAssertEqual(Set(names()), Set(["a", "b", "sub", "sub/c"] + (0..<50).map { "new \($0)" }))
        XCTAssertEqual(names().count, 54)
        changes.cancel()
    }

    func test_aDirectoryThatCannotBeReadIsAChangeAndNotTheEnd() {
        mkdir(folder["secret"], 0o700)
        // The second watch, which is that of the directory in it, is refused.
        let log = CallLog { name, number in name == "inotify_add_watch" && number == 1 ? .fail(EACCES) : .proceed }
        let changes = TestSubscriber<DirectoryChange, SystemError>.checked(.unlimited)
        Directory(folder.path, calls: log.calls).changes(recursive: true).subscribe(changes)
        eventually { changes.values == [.unreadable("secret")] }
        folder.write("", to: "visible")
        eventually { changes.values.contains(.created("visible")) }
        XCTAssertNil(changes.completion)
        changes.cancel()
    }
}
