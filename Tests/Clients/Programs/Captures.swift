import Combine
import Dispatch

// What no thread may share, in a closure that a stream calls.

final class Log { var lines: [String] = [] }

func followLocals(_ numbers: PassthroughSubject<Int, Never>) {
    var sum = 0
    numbers.sink { sum += $0 }.cancel()
    let log = Log()
    numbers.map { number in log.lines.append("\(number)") }.sink { _ in }.cancel()
    numbers.handleEvents(receiveCancel: { log.lines.append("cancelled") }).sink { _ in }.cancel()
    let cancellable = AnyCancellable { log.lines.append("done") }
    cancellable.cancel()
    DispatchQueue.main.schedule { log.lines.append("later") }
    print(sum)
}

func assign(_ lines: Just<[String]>, to log: Log) -> AnyCancellable {
    lines.assign(to: \.lines, on: log)
}

// Of what a closure inside a stream's closure does to a captured variable, the compiler makes no warning.
func followLinesInside(_ batches: PassthroughSubject<[Int], Never>) {
    var sum = 0
    var batchCount = 0
    batches.sink { batch in
        defer { batchCount += 1 }
        batch.forEach { sum += $0 }
    }
    .cancel()
    print(sum, batchCount)
}
