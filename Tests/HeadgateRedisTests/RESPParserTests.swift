import HeadgateRedis
import HeadgateTesting
import TestSupport
import XCTest

final class RESPParserTests: XCTestCase {
    /// Replies, and what they mean.
    static let corpus: [(String, RedisValue)] = [
        ("+OK\r\n", .status("OK")),
        ("-ERR no\r\n", .error("ERR no")),
        (":42\r\n", .integer(42)),
        (":-9223372036854775808\r\n", .integer(.min)),
        (":+9223372036854775807\r\n", .integer(.max)),
        ("$5\r\nhello\r\n", .string("hello")),
        ("$0\r\n\r\n", .string("")),
        ("$4\r\n\r\n\r\n\r\n", .string("\r\n\r\n")),
        ("$-1\r\n", .null),
        ("*-1\r\n", .null),
        ("_\r\n", .null),
        ("#t\r\n", .boolean(true)),
        ("#f\r\n", .boolean(false)),
        (",1.5\r\n", .double(1.5)),
        (",-3e-2\r\n", .double(-0.03)),
        (",inf\r\n", .double(.infinity)),
        (",-inf\r\n", .double(-.infinity)),
        ("(3492890328409238509324850943850943825024385\r\n", .bigNumber("3492890328409238509324850943850943825024385")),
        ("(-1\r\n", .bigNumber("-1")),
        ("=8\r\ntxt:some\r\n", .verbatim(format: "txt", text: "some")),
        ("!7\r\nERR bad\r\n", .error("ERR bad")),
        ("*0\r\n", .array([])),
        ("*3\r\n:1\r\n$1\r\na\r\n*1\r\n+x\r\n", .array([.integer(1), .string("a"), .array([.status("x")])])),
        (
            "%2\r\n+a\r\n:1\r\n+b\r\n*2\r\n_\r\n#f\r\n",
            .map([.status("a"), .integer(1), .status("b"), .array([.null, .boolean(false)])])
        ),
        ("%0\r\n", .map([])),
        ("~2\r\n:1\r\n:2\r\n", .set([.integer(1), .integer(2)])),
        ("~0\r\n", .set([])),
        (">2\r\n+message\r\n$2\r\nhi\r\n", .push([.status("message"), .string("hi")])),
        (">0\r\n", .push([])),
        ("|1\r\n+ttl\r\n:3\r\n:7\r\n", .integer(7)),
        ("|0\r\n:8\r\n", .integer(8)),
        ("*2\r\n|1\r\n+a\r\n*1\r\n:0\r\n:1\r\n:2\r\n", .array([.integer(1), .integer(2)])),
        (
            "*1\r\n*2\r\n$3\r\n1-0\r\n*4\r\n$1\r\na\r\n$0\r\n\r\n$2\r\n\r\n\r\n$1\r\nb\r\n",
            .array([.array([.string("1-0"), .array([.string("a"), .string(""), .string("\r\n"), .string("b")])])])
        ),
    ]

    /// All replies that a parser finds in chunks.
    private func parse(_ chunks: [Bytes], _ limits: RESPLimits = RESPLimits()) throws -> [RedisValue] {
        var parser = RESPParser(limits: limits)
        var values: [RedisValue] = []
        for chunk in chunks {
            parser.take(chunk)
            while let reply = try parser.next() { values.append(reply.value) }
        }
        XCTAssertTrue(parser.isEmpty)
        return values
    }

    private func failure(_ text: String, _ limits: RESPLimits = RESPLimits()) -> String? {
        var parser = RESPParser(limits: limits)
        parser.take(Bytes(text))
        do {
            while try parser.next() != nil {}
            return nil
        } catch {
            // It stays so.
            parser.take(Bytes("+OK\r\n"))
            XCTAssertThrowsError(try parser.next())
            return "\(error)"
        }
    }

    func test_readsEveryType() throws {
        for (text, value) in Self.corpus { XCTAssertEqual(try parse([Bytes(text)]), [value], text) }
    }

    func test_readsNotANumber() throws {
        guard case .double(let number) = try XCTUnwrap(parse([",nan\r\n"]).first) else { return XCTFail() }
        XCTAssertTrue(number.isNaN)
    }

    func test_readsTheSameHoweverItIsSplit() throws {
        let all = Bytes(Self.corpus.map(\.0).joined())
        let values = Self.corpus.map(\.1)
        for split in 0...all.count {
            XCTAssertEqual(try parse([all.prefix(split), all.dropFirst(split)]), values, "split at \(split)")
        }
        XCTAssertEqual(try parse(all.map { [$0] as Bytes }), values)
        XCTAssertEqual(try parse(all.flatMap { [[$0] as Bytes, Bytes()] }), values)
    }

    func test_everyReplyMayBeSplitInThree() throws {
        for (text, value) in Self.corpus {
            let bytes = Bytes(text)
            for first in 0...bytes.count {
                for second in first...bytes.count {
                    let pieces = [bytes[0..<first], bytes[first..<second], bytes[second...]]
                    XCTAssertEqual(try parse(pieces), [value], "\(text) split at \(first) and \(second)")
                }
            }
        }
    }

    func test_aStringInsideAChunkIsASliceOfIt() throws {
        let chunk = Bytes("$5\r\nhello\r\n")
        let string = try XCTUnwrap(parse([chunk]).first?.bytes)
        XCTAssertEqual(string.startIndex, 4)
        XCTAssertEqual(
            string.withUnsafeBytes { $0.baseAddress }, chunk.withUnsafeBytes { $0.baseAddress.map { $0 + 4 } })
    }

    func test_refusesWhatIsNoReply() {
        let texts = [
            "x\r\n", "\r\n", "+OK\n", "$5\r\nhelloxx", "$a\r\n", "$-2\r\n", "$\r\n", ":\r\n", ":1x\r\n", ":--1\r\n",
            ":9223372036854775808\r\n", "*-2\r\n", "#x\r\n", "_x\r\n", ",\r\n", ",x\r\n", ",0x10\r\n", "(\r\n",
            "(1x\r\n",
            "=3\r\ntxt\r\n", "=4\r\ntxtx\r\n", "$?\r\n", "*?\r\n", ";1\r\n",
        ]
        for text in texts { XCTAssertNotNil(failure(text), text) }
    }

    func test_namesAnHTTPServer() {
        XCTAssertEqual(
            failure("HTTP/1.1 400 Bad Request\r\n"),
            "the answer of an HTTP server: \"HTTP/1.1 400 Bad Request?\"")
        // Before the line is complete.
        XCTAssertNotNil(failure("H"))
    }

    func test_takesNoMemoryForWhatIsOnlyAnnounced() {
        for text in [
            "$1000000000000000000\r\n", "*1000000000000000000\r\n", "%9000000000000000000\r\n", "*16777217\r\n",
        ] {
            XCTAssertNotNil(failure(text), text)
        }
        XCTAssertNotNil(failure("$99999999999999999999\r\n"))
        let before = ProcessMemory.resident
        var parser = RESPParser()
        parser.take("$536870912\r\nx")
        XCTAssertNil(try parser.next())
        parser.take("y")
        XCTAssertNil(try parser.next())
        var other = RESPParser()
        other.take("*16777216\r\n:1\r\n")
        XCTAssertNil(try other.next())
        XCTAssertLessThan(ProcessMemory.resident - before, 16 << 20)
    }

    func test_limitsLinesNestingAndElements() throws {
        var limits = RESPLimits()
        limits.lineLength = 10
        limits.depth = 3
        limits.elements = 4
        limits.length = 5
        XCTAssertEqual(
            try parse(["+\(String(repeating: "x", count: 10))\r\n" as String].map { Bytes($0) }, limits).count, 1)
        XCTAssertNotNil(failure("+\(String(repeating: "x", count: 20))", limits))
        XCTAssertNil(failure("*1\r\n*1\r\n*1\r\n:1\r\n", limits))
        XCTAssertNotNil(failure("*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n", limits))
        XCTAssertNil(failure("*4\r\n:1\r\n", limits))
        XCTAssertNotNil(failure("*5\r\n", limits))
        XCTAssertNil(failure("%2\r\n", limits))
        XCTAssertNotNil(failure("%3\r\n", limits))
        XCTAssertNotNil(failure("$6\r\n", limits))
    }

    func test_deepNestingTakesNoCalls() throws {
        var limits = RESPLimits()
        limits.depth = 10_000
        let values = try parse([Bytes(String(repeating: "*1\r\n", count: 10_000) + ":1\r\n")], limits)
        var value = try XCTUnwrap(values.first)
        XCTAssertEqual(value.description.count, 20_001)
        var depth = 0
        while let inner = value.elements?.first {
            value = inner
            depth += 1
        }
        XCTAssertEqual(depth, 10_000)
        XCTAssertNotNil(failure(String(repeating: "*1\r\n", count: 129)))
        XCTAssertNil(failure(String(repeating: "*1\r\n", count: 128)))
    }

    /// A million mutations where HEADGATE_EFFORT is full: none traps or hangs, and what is read depends on no split.
    func test_survivesMutations() throws {
        let original = Array(Bytes(Self.corpus.map(\.0).joined()))
        var generator = SeededGenerator(seed: 20)
        let alphabet = Array("+-:$*_,#(!=%~>|0123456789\r\nxHTP".utf8)
        for _ in 0..<Effort.number(1_000_000, otherwise: 4_000) {
            var mutant = original
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0..<mutant.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: mutant[place] = alphabet.randomElement(using: &generator)!
                case 1: mutant.remove(at: place)
                case 2: mutant.insert(alphabet.randomElement(using: &generator)!, at: place)
                default: mutant.removeSubrange(place..<min(mutant.count, place + 7))
                }
            }
            let whole = outcome([Bytes(mutant)])
            let split = Int.random(in: 0...mutant.count, using: &generator)
            let parts = outcome([Bytes(mutant[..<split]), Bytes(mutant[split...])])
            // Not a number is not equal to itself.
            XCTAssertEqual("\(whole)", "\(parts)")
            let array = Bytes(Array(Bytes("*\(whole.values.count)\r\n")) + mutant)
            let some = elements([array.prefix(split), array.dropFirst(split)]).values
            XCTAssertGreaterThanOrEqual(some.count, whole.values.count)
        }
    }

    private func outcome(_ chunks: [Bytes]) -> (values: [RedisValue], hasFailed: Bool) {
        var parser = RESPParser()
        var values: [RedisValue] = []
        for chunk in chunks {
            parser.take(chunk)
            do {
                while let reply = try parser.next() { values.append(reply.value) }
            } catch {
                return (values, true)
            }
        }
        return (values, false)
    }

    /// Elements that are taken as they arrive, wherever the reply is split, are those of the whole.
    func test_aReplyInPartsHasTheSameElements() throws {
        let texts = Self.corpus.map(\.0)
        for prefix in ["", "|1\r\n+a\r\n*1\r\n:0\r\n"] {
            let reply = Array(Bytes("\(prefix)*\(texts.count)\r\n" + texts.joined()))
            let expected = Self.corpus.map(\.1)
            for split in stride(from: 0, through: reply.count, by: 5) {
                XCTAssertEqual(elements([Bytes(reply[..<split]), Bytes(reply[split...])]).values, expected, "\(split)")
            }
            let single = elements(reply.map { Bytes([$0]) })
            XCTAssertEqual(single.values, expected)
            // What comes after an attribute or a text with a format is taken with the rest.
            XCTAssertEqual(single.parts > 5, prefix.isEmpty)
        }
        let nested = elements(["*1\r\n*3\r\n:1\r\n:2\r\n", ":3\r\n"], depth: 2)
        XCTAssertEqual(nested.values, [.integer(1), .integer(2), .integer(3)])
        XCTAssertEqual(nested.parts, 1)
        // The one before is not complete, or another follows.
        XCTAssertEqual(elements(["*2\r\n*2\r\n:1\r\n", ":1\r\n:2\r\n"], depth: 2).parts, 0)
    }

    /// Reads the elements of arrays of arrays of a depth, in parts as they arrive.
    private func elements(_ chunks: [Bytes], depth: Int = 1) -> (values: [RedisValue], parts: Int) {
        var parser = RESPParser()
        var (values, parts): ([RedisValue], Int) = ([], 0)
        var (total, taken): (Int?, Int) = (nil, 0)
        func read(_ reader: inout RESPReader, lacking: Int) {
            if total == nil { for _ in 0..<depth { total = reader.elements() } }
            for _ in 0..<max(0, (total ?? 0) - lacking - taken) { values.append(reader.value() ?? .null) }
            taken = (total ?? 0) - lacking
        }
        for chunk in chunks {
            parser.take(chunk)
            do {
                while let reply = try parser.next() {
                    var reader = RESPReader(reply)
                    read(&reader, lacking: 0)
                    (total, taken) = (nil, 0)
                }
            } catch {
                return (values, parts)
            }
            if let lacking = parser.lacking(at: { _ in depth }), total.map({ $0 - lacking > taken }) ?? true {
                parser.takePart { read(&$0, lacking: lacking) }
                parts += 1
            }
        }
        return (values, parts)
    }

    func test_writesCommands() {
        XCTAssertEqual(String(Bytes.command(["GET", ""])), "*2\r\n$3\r\nGET\r\n$0\r\n\r\n")
        let long = Bytes(String(repeating: "x", count: 1_000))
        XCTAssertEqual(Bytes.command([long]), Bytes("*1\r\n$1000\r\n\(String(long))\r\n"))
        XCTAssertEqual(
            String(Bytes.command(Array(repeating: "a", count: 12))),
            "*12\r\n" + String(repeating: "$1\r\na\r\n", count: 12))
    }
}
