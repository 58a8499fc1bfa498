import HeadgateSystem
import Synchronization

// Counts the lines of a file at the top level of another, whose code belongs to the main actor.
let count = Mutex(0)
let end = Mutex(false)
let listener = File(#filePath).bytes().lines().sink(
    receiveCompletion: { _ in end.withLock { $0 = true } },
    receiveValue: { _ in count.withLock { $0 += 1 } })
while !end.withLock({ $0 }) { await Task.yield() }
print(count.withLock { $0 } == 12 ? "ok" : "a wrong count")
listener.cancel()
