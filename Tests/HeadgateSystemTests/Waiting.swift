import Glibc
import Synchronization
import XCTest

/// Waits until something that other threads do has come about; fails after half a minute.
///
/// For what happens in the kernel, in other processes and on other threads without telling anybody here. Looks often at
/// first, and then less and less, for a look may cost the ones that are waited for.
func eventually(
    _ what: @autoclosure () -> String = "this", file: StaticString = #filePath, line: UInt = #line,
    _ condition: () -> Bool
) {
    let deadline = ContinuousClock.now + .seconds(30)
    var pause: UInt32 = 200
    repeat {
        if condition() { return }
        usleep(pause)
        pause = min(pause * 5 / 4, 20_000)
    } while ContinuousClock.now < deadline
    XCTFail("\(what()) has not come about within half a minute", file: file, line: line)
}

/// Waits until something has begun and then does not go on for a while; fails after half a minute.
///
/// In real time, because nothing but silence tells that the kernel has room for no more.
func standsStill(
    _ what: String, file: StaticString = #filePath, line: UInt = #line, _ count: () -> Int
) {
    var last = 0
    eventually("\(what) stands still", file: file, line: line) {
        usleep(50_000)
        let now = count()
        defer { last = now }
        return now > 0 && now == last
    }
}

/// How many descriptors the process has open, without those by which Dispatch and the poller wait: they open them when
/// they first need them, and keep them.
func openDescriptorCount() -> Int {
    guard let folder = opendir("/proc/self/fd") else { return -1 }
    defer { closedir(folder) }
    let kept = ["eventpoll", "eventfd", "timerfd"].map { Array("anon_inode:[\($0)]".utf8CString) }
    let size = 64
    var count = 0
    while let entry = readdir(folder) {
        var target = [CChar](repeating: 0, count: size)
        _ = withUnsafePointer(to: &entry.pointee.d_name.0) { readlinkat(dirfd(folder), $0, &target, size - 1) }
        if !kept.contains(where: target.starts(with:)) { count += 1 }
    }
    return count
}

/// How many threads the process has.
func threadCount() -> Int {
    guard let folder = opendir("/proc/self/task") else { return -1 }
    defer { closedir(folder) }
    var count = -2
    while readdir(folder) != nil { count += 1 }
    return count
}

/// A folder of its own for a test, removed with everything in it at the end of the process.
final class Folder {
    // XCTest never releases test cases, nor what they hold.
    private static let all = Mutex<[String]>([])
    private static let removesAll: Void = {
        atexit { for path in Folder.all.withLock({ $0 }) { _ = system("rm -rf '\(path)'") } }
    }()

    let path: String

    init() {
        var template = Array("/tmp/headgate-tests-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { fatalError("A folder for tests can't be made.") }
        path = String(cString: made)
        Folder.removesAll
        Folder.all.withLock { [path] in $0.append(path) }
    }

    subscript(_ name: String) -> String { "\(path)/\(name)" }

    /// Makes a file of a text.
    @discardableResult func write(_ text: String, to name: String) -> String {
        write(Array(text.utf8), to: name)
    }

    /// Makes a file of bytes.
    @discardableResult func write(_ bytes: [UInt8], to name: String, append: Bool = false) -> String {
        let file = fopen(self[name], append ? "a" : "w")
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
        return self[name]
    }

    /// The text in a file.
    func read(_ name: String) -> String? {
        guard let file = fopen(self[name], "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }
}
