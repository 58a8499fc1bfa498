import HeadgateCombine
import HeadgateEngine

/// A stream of text that puts the time before each line: the seconds since the logger was made.
///
/// ```swift
/// let logger = TimeLogger()
/// let cancellable = Timer.publish(every: 1, on: .main, in: .common)
///     .autoconnect()
///     .print("tick", to: logger)
///     .sink { _ in }
/// // +0.…s: tick: receive subscription: (Timer)
/// // +0.…s: tick: request unlimited
/// // +1.…s: tick: receive value: (…)
/// ```
///
/// A line has the time at which it began, and is written when it is complete. A logger may be shared: lines come one at
/// a time, whatever the threads.
public final class TimeLogger: TextOutputStream {
    private struct Piece {
        let text: String
        let time: Duration
    }

    private let drain = Drain()
    private let elapsed: StreamClosure<Duration>

    // The next three are used by the owner of the drain, hence unchecked.
    @exclusivity(unchecked) private var destination: any TextOutputStream

    @exclusivity(unchecked) private var line = ""

    @exclusivity(unchecked) private var lineBegan = Duration.zero

    /// Makes a logger that begins to count now.
    ///
    /// - Parameters:
    ///   - clock: What tells the time.
    ///   - destination: Where to write: the standard output if there is none.
    public init<C: Clock>(clock: C = ContinuousClock(), to destination: (any TextOutputStream)? = nil)
    where C.Duration == Duration {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        self.destination = destination ?? StandardOutput()
    }

    /// Takes a piece of text, which may be a part of a line or several lines.
    public func write(_ string: String) {
        let piece = Piece(text: string, time: elapsed())
        drain.run { self.add(piece) }
    }

    private func add(_ piece: Piece) {
        for character in piece.text {
            if line.isEmpty { lineBegan = piece.time }
            if character.isNewline {
                let complete = line
                line = ""
                destination.writeLine("+\(Self.seconds(lineBegan))s: \(complete)")
            } else {
                line.append(character)
            }
        }
    }

    /// Seconds with three decimals, as in `12.040`.
    private static func seconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let thousandths = String(attoseconds / 1_000_000_000_000_000)
        return "\(seconds)." + String(repeating: "0", count: 3 - thousandths.count) + thousandths
    }
}

// What threads share belongs to the owner of the drain; the clock is made to be read from any thread.
extension TimeLogger: @unchecked Sendable {}
