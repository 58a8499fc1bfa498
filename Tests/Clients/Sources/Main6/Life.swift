import HeadgateSystem
import Synchronization

/// Counts the lines of a file where a program begins: in `main()`, which belongs to the main actor.
@main
struct Life {
    static func main() async {
        let count = Mutex(0)
        let end = Mutex(false)
        let listener = File(#filePath).bytes().lines().sink(
            receiveCompletion: { _ in end.withLock { $0 = true } },
            receiveValue: { _ in count.withLock { $0 += 1 } })
        while !end.withLock({ $0 }) { await Task.yield() }
        print(count.withLock { $0 } == 17 ? "ok" : "a wrong count")
        listener.cancel()
    }
}
