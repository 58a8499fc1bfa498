import Foundation
import HeadgateSystem

/// What the kernel tells of each inotify instance of the process.
func watchQueues() -> [String] {
    let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return numbers.filter { number in
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")) == "anon_inode:inotify"
    }
    .map { number in (try? String(contentsOfFile: "/proc/self/fdinfo/\(number)", encoding: .utf8)) ?? "" }
}

/// Whether the process watches a file or directory.
func isWatched(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    let word = "ino:\(String(status.st_ino, radix: 16)) "
    return watchQueues().contains { $0.contains(word) }
}
