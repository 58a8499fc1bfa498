import Glibc
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

final class StandardInputTests: XCTestCase {
    private let folder = Folder()

    private func read(_ file: File, _ script: DemandScript = .unlimited) -> TestSubscriber<Bytes, SystemError> {
        let subscriber = TestSubscriber<Bytes, SystemError>.checked(script)
        file.bytes(chunkSize: 8).subscribe(subscriber)
        return subscriber
    }

    /// A pipe as a program is given it: in blocking mode.
    private func blockingPipe() throws -> (reading: Descriptor, writing: Descriptor) {
        let pipe = try SystemCalls.live.pipe()
        for end in [pipe.reading, pipe.writing] {
            _ = fcntl(end.number, F_SETFL, fcntl(end.number, F_GETFL) & ~O_NONBLOCK)
        }
        return pipe
    }

    func test_aPipeIsReadToItsEndAndLeftInItsMode() throws {
        for canReopen in [true, false] {
            let log = CallLog { call, _ in call == "open" && !canReopen ? .fail(EACCES) : .proceed }
            let pipe = try blockingPipe()
            let mode = fcntl(pipe.reading.number, F_GETFL)
            let input = File(standardStream: pipe.reading.number, name: "standard input", calls: log.calls)
            let subscriber = read(input)
            for text in ["one", "two"] {
                let count = subscriber.values.count
                _ = Glibc.write(pipe.writing.number, text, 3)
                eventually { subscriber.values.count > count }
            }
            XCTAssertEqual(fcntl(pipe.reading.number, F_GETFL), mode)
            try pipe.writing.close()
            eventually { subscriber.hasFinished }
            XCTAssertEqual(subscriber.values, ["one", "two"])
            XCTAssertNotEqual(fcntl(pipe.reading.number, F_GETFD), -1)
        }
    }

    func test_aSilentPipeIsLeftWhenCancelled() throws {
        for canReopen in [true, false] {
            let log = CallLog { call, _ in call == "open" && !canReopen ? .fail(EACCES) : .proceed }
            let pipe = try blockingPipe()
            let before = openDescriptorCount()
            let subscriber = read(File(standardStream: pipe.reading.number, name: "standard input", calls: log.calls))
            eventually { log[canReopen ? "read" : "poll"] > 0 }
            subscriber.cancel()
            eventually { openDescriptorCount() <= before + 1 }
        }
    }

    func test_aFileIsReadFromWhereItIs() throws {
        let file = fopen(folder.write("abcdefghijklmno", to: "file"), "r")
        defer { fclose(file) }
        lseek(fileno(file), 5, SEEK_SET)
        let subscriber = read(File(standardStream: fileno(file), name: "standard input"))
        eventually { subscriber.hasFinished }
        XCTAssertEqual(subscriber.values, ["fghijklm", "no"])
    }

    func test_aTerminalIsReadLineByLineAndEndsWithControlD() throws {
        let master = Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var isLocked: Int32 = 0
        var number: Int32 = 0
        // TIOCSPTLCK and TIOCGPTN, which Swift does not see.
        XCTAssertEqual(ioctl(master, 0x4004_5431, &isLocked), 0)
        XCTAssertEqual(ioctl(master, 0x8004_5430, &number), 0)
        let terminal = Glibc.open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        defer {
            close(terminal)
            close(master)
        }
        let mode = fcntl(terminal, F_GETFL)
        let subscriber = TestSubscriber<String, SystemError>.checked(.unlimited)
        File(standardStream: terminal, name: "standard input").bytes().lines().subscribe(subscriber)
        _ = Glibc.write(master, "one\n", 4)
        eventually { subscriber.values == ["one"] }
        XCTAssertEqual(fcntl(terminal, F_GETFL), mode)
        _ = Glibc.write(master, "\u{4}", 1)
        eventually { subscriber.hasFinished }
    }

    func test_aClosedStandardInputIsAFailure() {
        let subscriber = read(File(standardStream: 999, name: "standard input"))
        eventually { subscriber.completion != nil }
        XCTAssertEqual(subscriber.failure, SystemError(call: "fstat", code: EBADF, subject: "standard input"))
    }

    func test_halfALineWaitsForItsEnd() throws {
        let pipe = try blockingPipe()
        let subscriber = TestSubscriber<String, SystemError>.checked(.unlimited)
        File(standardStream: pipe.reading.number, name: "standard input").bytes().lines().subscribe(subscriber)
        _ = Glibc.write(pipe.writing.number, "ha", 2)
        eventually("it is read") { isEmpty(pipe.reading) }
        XCTAssertEqual(subscriber.values, [])
        _ = Glibc.write(pipe.writing.number, "lf\n", 3)
        eventually { subscriber.values == ["half"] }
        subscriber.cancel()
    }
}
