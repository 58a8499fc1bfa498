import CHeadgateSystem
@preconcurrency import Dispatch
import HeadgateLibC

extension Flow {
    /// Shows the table on a terminal while the program runs, or once at the end.
    ///
    /// ```swift no-run
    /// let flow = Flow("ingest")
    /// let display = flow.live(to: .standardError)
    /// let ingesting = lines.stage("read", in: flow).map(\.count).stage("parsed", in: flow).sink { print($0) }
    /// // …
    /// display.cancel()
    /// ```
    ///
    /// On a terminal, the table is drawn again at each interval, in place of the previous one, and columns that do not
    /// fit are left out. If the other one of
    /// standard output and standard error is the same terminal, or the file is no terminal, it is written once, when the
    /// display is cancelled: so it never mixes with what the program prints. To see it live, send the output elsewhere,
    /// as in `program > results.txt`, or name another terminal, as in `File("/dev/pts/3")`.
    ///
    /// - Complexity: the streams pay nothing; the display reads all stages at each interval, on a thread of its own.
    ///
    /// - Parameters:
    ///   - file: Where the table is written. A display whose file can't be written shows nothing.
    ///   - interval: How often it is drawn: more than zero; traps otherwise.
    /// - Returns: The display: cancel it to write the table for the last time. It is cancelled when it is released.
    public func live(to file: File, every interval: Duration = .milliseconds(250)) -> AnyCancellable {
        require(
            interval > .zero, rule: "The interval at which a table is drawn must be greater than zero.",
            found: "live(every: \(interval))", remedy: "Pass a quarter of a second or so.")
        let display = FlowDisplay(self, file)
        display.start(every: interval)
        return AnyCancellable { display.finish() }
    }
}

/// Draws the table of a flow.
// Everything but the creation happens on the queue.
private final class FlowDisplay: @unchecked Sendable {
    private let flow: Flow
    private let file: File
    private let queue = DispatchQueue(label: "headgate.flow")
    private var timer: (any Cancellable)?
    private let destination: (any WritingDestination)?

    /// How many lines are to be drawn over.
    private var drawn = 0

    init(_ flow: Flow, _ file: File) {
        self.flow = flow
        self.file = file
        destination = try? file.open(mode: .append, durability: .whenever)
    }

    func start(every interval: Duration) {
        guard let destination, isLive(destination.descriptor.number) else { return }
        let interval = DispatchQueue.SchedulerTimeType.Stride(interval)
        timer = queue.schedule(
            after: queue.now.advanced(by: interval), interval: max(interval, .milliseconds(1)), tolerance: 0,
            options: nil
        ) { [weak self] in self?.draw() }
    }

    /// Draws for the last time; returns when that is done.
    func finish() {
        queue.sync {
            timer?.cancel()
            guard let destination else { return }
            let isTerminal = isatty(destination.descriptor.number) == 1
            let table = isTerminal ? flow.snapshot.table(width: size(of: destination).columns) : flow.table()
            try? destination.writeAll(erasure + table + "\n")
            try? destination.finish()
        }
    }

    private func draw() {
        guard let destination else { return }
        let (columns, rows) = size(of: destination)
        // A line that wraps, or one above the screen, could not be drawn over.
        let table = flow.snapshot.table(width: columns - 1)
        let lines = table.split(separator: "\n").prefix(rows - 1).map { $0.prefix(columns - 1) }
        try? destination.writeAll(erasure + lines.joined(separator: "\n") + "\n")
        drawn = lines.count
    }

    private func size(of terminal: any WritingDestination) -> (columns: Int, rows: Int) {
        var size = winsize()
        let hasSize = headgate_terminal_size(terminal.descriptor.number, &size) == 0
        return (
            columns: hasSize && size.ws_col > 0 ? Int(size.ws_col) : 80,
            rows: hasSize && size.ws_row > 1 ? Int(size.ws_row) : 24
        )
    }

    /// Moves to the first line of the previous table, and clears what is below.
    private var erasure: String { drawn > 0 ? "\u{1B}[\(drawn)A\r\u{1B}[J" : "" }

    /// Whether a descriptor is a terminal that no other standard stream writes to.
    private func isLive(_ number: Int32) -> Bool {
        guard isatty(number) == 1 else { return false }
        var own = stat()
        guard fstat(number, &own) == 0 else { return false }
        return [STDOUT_FILENO, STDERR_FILENO].allSatisfy { other in
            if case .standardStream(other, _) = file.place { return true }
            var status = stat()
            return isatty(other) == 0 || fstat(other, &status) != 0 || status.st_rdev != own.st_rdev
        }
    }
}
