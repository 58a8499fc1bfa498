import Headgate

// An asynchronous sequence, which a task iterates.

final class Log { var lines: [String] = [] }

struct Lines: AsyncSequence, AsyncIteratorProtocol {
    let log: Log

    mutating func next() async -> String? { log.lines.popLast() }

    func makeAsyncIterator() -> Lines { self }
}

func publish(_ log: Log) {
    _ = Lines(log: log).publisher
    _ = AsyncStream { 1 }.publisher
}
