import Foundation
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

final class FlowFileTests: XCTestCase {
    private let folder = Folder()
    private let scheduler = TestScheduler()
    private lazy var flow = Flow("files", scheduler: scheduler)

    private func runStream() {
        let upstream = TestPublisher<Int, Never>()
        upstream.stage("all", in: flow).subscribe(TestSubscriber.checked(.unlimited))
        for number in 1...3 {
            scheduler.advance(by: 1)
            upstream.send(number)
        }
        upstream.finish()
    }

    /// Waits until a display at the same interval, which is drawn, has been drawn several times.
    private func waitForDrawing() throws {
        let terminal = try Terminal(columns: 80)
        let display = Flow("other").live(to: File(terminal.path), every: .milliseconds(1))
        terminal.read { $0.components(separatedBy: "other").count > 5 }
        display.cancel()
    }

    private func text(_ name: String) throws -> String { try String(contentsOfFile: folder[name], encoding: .utf8) }

    func test_aRecordingIsWrittenWhenItIsFinished() throws {
        folder.write("old", to: "run.json")
        let recorder = flow.record(to: File(folder["run.json"]))
        runStream()
        XCTAssertEqual(try text("run.json"), "old")
        try recorder.finish()
        runStream()
        XCTAssertEqual(try text("run.json"), recorder.recording.trace)
    }

    func test_aRecordingIsWrittenInAsManyPartsAsTheSystemTakes() throws {
        let calls = SystemCalls { $0 == "write" ? .limit(7) : .proceed }
        let recorder = flow.record(to: File(folder["run.json"], calls: calls))
        runStream()
        try recorder.finish()
        XCTAssertEqual(try text("run.json"), recorder.recording.trace)
    }

    func test_aRecordingThatCannotBeWrittenThrows() {
        let recorder = flow.record(to: File(folder["missing/run.json"]))
        XCTAssertThrowsError(try recorder.finish()) { XCTAssertEqual(($0 as? SystemError)?.code, ENOENT) }
    }

    func test_onATerminalTheTableIsDrawnOverThePreviousOne() throws {
        let terminal = try Terminal(columns: 60)
        let display = flow.live(to: File(terminal.path), every: .milliseconds(1))
        runStream()
        terminal.read { $0.components(separatedBy: "\u{1B}[3A\r\u{1B}[J").count > 3 }
        display.cancel()
        _ = write(terminal.end, "done", 4)
        let frames = terminal.read { $0.contains("done") }.components(separatedBy: "\u{1B}[")
        for frame in frames {
            for line in frame.split(separator: "\r\n") { XCTAssertLessThanOrEqual(line.count, 60) }
        }
        let header = frames.last?.split(separator: "\r\n").first { $0.contains("starved") }
        XCTAssertEqual(header, "stage  busy  starved  held  values  per second  demand")
    }

    func test_elsewhereTheTableIsWrittenOnceAtTheEnd() throws {
        let display = flow.live(to: File(folder["table.txt"]), every: .milliseconds(1))
        runStream()
        try waitForDrawing()
        XCTAssertEqual(try text("table.txt"), "")
        display.cancel()
        display.cancel()
        XCTAssertEqual(try text("table.txt"), flow.table() + "\n")
    }

    func test_onATerminalThatShowsOtherOutputTheTableIsWrittenOnce() throws {
        let terminal = try Terminal(columns: 200)
        let standardError = dup(STDERR_FILENO)
        dup2(terminal.end, STDERR_FILENO)
        let display = flow.live(to: File(terminal.path), every: .milliseconds(1))
        runStream()
        try waitForDrawing()
        display.cancel()
        dup2(standardError, STDERR_FILENO)
        close(standardError)
        let shown = terminal.read { $0.hasSuffix(" s\r\n") }
        XCTAssertEqual(shown.components(separatedBy: "streams").count, 2, shown)
        XCTAssertFalse(shown.contains("\u{1B}"))
    }

    func test_aDisplayThatCannotBeWrittenShowsNothing() {
        let display = flow.live(to: File(folder["missing/table.txt"]), every: .milliseconds(1))
        runStream()
        display.cancel()
        XCTAssertEqual(flow.snapshot.stages[0].values, 3)
    }
}

/// A terminal without a screen.
private final class Terminal {
    let path: String
    /// The end that a program writes to; kept open, so that what was written can be read.
    let end: Int32
    private let screen: Int32
    private var shown = ""

    init(columns: UInt16) throws {
        screen = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var lock: Int32 = 0
        var number: UInt32 = 0
        // TIOCSPTLCK and TIOCGPTN, which Swift does not see.
        guard screen >= 0, ioctl(screen, 0x4004_5431, &lock) == 0, ioctl(screen, 0x8004_5430, &number) == 0 else {
            throw XCTSkip("There is no terminal to be had.")
        }
        path = "/dev/pts/\(number)"
        end = open(path, O_RDWR | O_NOCTTY)
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(screen, UInt(TIOCSWINSZ), &size)
        _ = fcntl(screen, F_SETFL, O_NONBLOCK)
    }

    deinit {
        close(end)
        close(screen)
    }

    /// Reads what is shown until it is as expected.
    @discardableResult func read(until isExpected: (String) -> Bool) -> String {
        eventually {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = Foundation.read(screen, &buffer, buffer.count)
            if count > 0 { shown += String(decoding: buffer[..<count], as: UTF8.self) }
            return isExpected(shown)
        }
        return shown
    }
}
