import Dispatch
@preconcurrency import Glibc
import HeadgateSystem

extension TailGrep {
    /// Follows the file from where the last run ended, and stores after each batch of lines how far it has come.
    ///
    /// The place is stored after the lines have been written, so none is missing, however the program ends. None comes
    /// twice either, unless it is killed between the two (`SIGKILL`).
    static func resume(_ arguments: Arguments, _ pattern: Pattern, from state: File) async -> Int32 {
        do {
            let batches = File(arguments.path).followLines(from: try await place(in: state))
                .prefix(untilOutputFrom: Signals.publisher(for: .interrupt, .terminate))
                .collect(.byTimeOrCount(DispatchQueue(label: "batches"), .milliseconds(50), 256))
            for try await lines in batches.values(buffering: .onDemand) {
                if lines.contains(where: \.followsGap) { fputs("tailgrep: lines are missing\n", stderr) }
                let matches = lines.map(\.text).filter(pattern.matches)
                let written = await matches.publisher.write(to: .standardOutput, terminator: "\n")
                if written?.isComplete != true { return status(written) }
                guard let end = lines.last?.end else { continue }
                let stored = await Just("\(end)").write(to: state, terminator: "\n", mode: .replace)
                if stored?.isComplete != true { return status(stored) }
            }
            return 0
        } catch {
            fputs("tailgrep: \(error)\n", stderr)
            return 1
        }
    }

    /// The place that the last run stored, or the beginning.
    private static func place(in state: File) async throws -> FollowingStart {
        do {
            guard let line = try await state.bytes().reader().line() else { return .beginning }
            guard let position = FollowingPosition(line) else { throw UsageError("\(state) has no place in it") }
            return .position(position)
        } catch let error as SystemError where error.code == ENOENT {
            return .beginning
        }
    }
}
