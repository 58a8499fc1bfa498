import HeadgateEngine

/// A text stream that prefixes each line with the seconds since the logger was created.
///
/// ```swift
/// import Foundation
/// import Headgate
/// import HeadgateFoundation
///
/// let logger = TimeLogger()
/// let cancellable = Timer.publish(every: 1, on: .main, in: .common)
///     .autoconnect()
///     .print("tick", to: logger)
///     .sink { _ in }
/// // +…s: tick: receive subscription: (Timer)
/// // +…s: tick: request unlimited
/// // +…s: tick: receive value: (…)
/// ```
///
/// A line has the time at which it began, and is written when it is complete. Several threads may share a logger: lines
/// are written one at a time.
public final class TimeLogger: TextOutputStream {
    private let drain = Drain()
    private let elapsed: @Sendable () -> Duration

    // Confined to the drain's owner.
    @exclusivity(unchecked) private var destination: any TextOutputStream

    @exclusivity(unchecked) private var line = ""

    @exclusivity(unchecked) private var lineBegan = Duration.zero

    /// Creates a logger that begins to measure now.
    ///
    /// - Parameters:
    ///   - clock: The clock that measures time.
    ///   - destination: Where to write; standard output by default.
    public init<C: Clock>(clock: C = ContinuousClock(), to destination: (any TextOutputStream)? = nil)
    where C.Duration == Duration {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        self.destination = destination ?? StandardOutput()
    }

    /// Writes a piece of text, which may be a part of a line or several lines.
    public func write(_ string: String) {
        let time = elapsed()
        drain.run { self.add(string, writtenAt: time) }
    }

    private func add(_ text: String, writtenAt time: Duration) {
        for character in text {
            if line.isEmpty { lineBegan = time }
            if character.isNewline {
                let complete = exchange(&line, with: "")
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

// The drain's owner guards the shared state; a clock may be read from any thread.
extension TimeLogger: @unchecked Sendable {}
