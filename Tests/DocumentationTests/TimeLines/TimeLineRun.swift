import Headgate
import HeadgateTesting

@testable import documentation

/// What rows of a time-line publish: all values are texts.
typealias Texts = AnyPublisher<String, Broken>

/// The failure that `x` means.
struct Broken: Error, Hashable {}

extension Publisher {
    /// The values as texts, and any failure as the one of time-lines.
    var texts: Texts { map { "\($0)" }.mapError { _ in Broken() }.eraseToAnyPublisher() }
}

/// A time-line of a documentation comment that can be carried out: rows that publish, and one that shows what comes out.
struct TimeLineRun {
    /// What tells what is to be done: the name of the file, and the row that names the operator.
    let name: String
    let inputs: [DocumentedTimeLine.Row]
    let output: DocumentedTimeLine.Row

    /// - Returns: `nil` where there are only words.
    init?(_ line: DocumentedTimeLine, file: String) {
        guard let last = line.rows.lastIndex(where: { !$0.signs.isEmpty }) else { return nil }
        output = line.rows[last]
        inputs = line.rows[..<last].filter { !$0.signs.isEmpty }
        let unnamed: Set<String> = ["self", "other", ""]
        let caption = output.name.isEmpty ? line.rows.first { !unnamed.contains($0.name) } : output
        let words = caption.map { $0.signs.isEmpty ? [$0.name, $0.words] : [$0.name] } ?? []
        let stem = String(file.split(separator: "/").last?.dropLast(".swift".count) ?? "")
        name = ([stem] + words.filter { !$0.isEmpty }).joined(separator: " ")
    }

    /// What happens at which column when an operator is applied to the rows.
    func played(_ operation: ([Texts], TestScheduler) -> Texts?) -> [(column: TestTime, sign: TimeLine.Sign)]? {
        let scheduler = TestScheduler()
        let start = scheduler.now
        guard let result = operation(inputs.map { Self.texts($0, on: scheduler) }, scheduler) else { return nil }
        var found: [(column: TestTime, sign: TimeLine.Sign)] = []
        let listener = result.sink(
            receiveCompletion: { end in
                found.append((scheduler.now, end == .finished ? .finish : .failure))
            },
            receiveValue: { found.append((scheduler.now, .value($0))) })
        scheduler.advance(to: start.advanced(by: .seconds(100)))
        listener.cancel()
        return found
    }

    /// A row, which begins for each subscriber at the moment of subscribing.
    static func texts(_ row: DocumentedTimeLine.Row, on scheduler: TestScheduler) -> Texts {
        Deferred { () -> Texts in
            let source = TestPublisher<String, Broken>()
            let start = scheduler.now
            for (column, sign) in row.signs {
                scheduler.schedule(after: start.advanced(by: .seconds(column - row.start))) {
                    switch sign {
                    case .value(let text): source.send(text)
                    case .finish: source.finish()
                    case .failure: source.fail(Broken())
                    default: break
                    }
                }
            }
            // What a pair waits for is not lost.
            return source.buffer(size: 100, prefetch: .byRequest, whenFull: .dropNewest).eraseToAnyPublisher()
        }.eraseToAnyPublisher()
    }

    /// Says in what the row of output differs from what has happened; `nil` if it shows just that.
    func difference(from found: [(column: TestTime, sign: TimeLine.Sign)]) -> String? {
        output.difference(from: found).map { "\(name) \($0)" }
    }
}

extension DocumentedTimeLine.Row {
    /// Says in what the row differs from what has happened; `nil` if it shows just that.
    ///
    /// A sign may stand later than it happens where the text of the one before takes its place.
    func difference(from found: [(column: TestTime, sign: TimeLine.Sign)]) -> String? {
        let origin = TestScheduler().now
        var end = 0
        let isSame =
            found.count == signs.count
            && zip(signs, found).allSatisfy { drawn, found in
                let column = (0...drawn.column).first { origin.advanced(by: .seconds($0)) == found.column }
                let isInPlace = column == drawn.column || column.map { end >= $0 && drawn.column <= end + 1 } ?? false
                let group = signs.filter { $0.column == drawn.column }
                // Signs at one moment stand between parentheses.
                end = max(
                    end,
                    drawn.column + group.map(\.sign.drawnLength).reduce(group.count > 1 ? 2 : 0, +))
                return isInPlace && drawn.sign.plain == found.sign.plain
            }
        if isSame { return nil }
        let moments = found.map { event in
            "\((0...100).first { origin.advanced(by: .seconds($0)) == event.column } ?? -1): \(event.sign.plain)"
        }
        return "shows \(signs.map { "\($0.column): \($0.sign.plain)" }), and does \(moments)"
    }
}

extension TimeLine.Sign {
    /// Values without brackets and quotes, which time-lines leave out here and there.
    fileprivate var plain: String {
        switch self {
        case .value(let text): text.filter { $0.isLetter || $0.isNumber }
        case .finish: "|"
        case .failure: "x"
        case .cancel: "!"
        case .request: "^"
        case .begin: "["
        case .end: "]"
        }
    }

    fileprivate var drawnLength: Int {
        if case .value(let text) = self { text.count } else { 1 }
    }
}
