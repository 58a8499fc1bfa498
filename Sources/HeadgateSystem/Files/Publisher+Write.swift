import Headgate

/// What becomes of a file that is there already when it is written to.
public enum WritingMode: Hashable, Sendable {
    /// It is emptied first.
    case overwrite
    /// What is written is added at its end.
    case append
    /// It is replaced when everything is written, in one step: whoever reads it sees the old file or the new one, never a
    /// part. Where not everything was written it stays as it is. A symbolic link stays, and what it leads to is replaced; a
    /// device or a pipe is just written to.
    case replace
    /// Nothing is written, and the stream fails with the code `EEXIST`.
    case create
}

/// When a writer makes sure that what it has written is on the disk.
public enum Durability: Hashable, Sendable {
    /// The system decides.
    case whenever
    /// Before the stream is reported as finished.
    case onDisk
}

extension Publisher where Output == Bytes {
    /// Writes everything that is published to a file, a pipe or a standard stream.
    ///
    /// ```
    /// self      c---c---c---|
    /// write     to a file
    ///           -----------(n|)
    /// ```
    ///
    /// ```swift
    /// let writing = Just(Bytes("hello\n")).write(to: File("greeting.txt"), mode: .replace) { print($0) }
    /// // finished(bytes: 6)
    /// ```
    ///
    /// Nothing is buffered longer than it takes: what arrives is written as soon as there is room, and what has piled up
    /// meanwhile by one call. `SIGPIPE` is never raised: a pipe or connection that nobody reads any more is
    /// ``Written/readerClosed(bytes:)``.
    ///
    /// - **Demand**: upstream is asked for as much as has been written. One value is asked for first, then as many as fit the
    ///   buffer by their average size, one at the least; where there is no room in the pipe, for none.
    /// - **Completion**: `receiveEnd` hears once how it ended and how many bytes were written, on the writer's queue. After
    ///   `cancel()` it hears nothing, and what was not written is dropped.
    /// - **Complexity**: one system call a value, or fewer where values are small; these are copied once.
    ///
    /// - Parameters:
    ///   - file: Where to write. Opened when the subscription has come.
    ///   - mode: What becomes of a file that is there already. Standard streams, pipes and devices are just written to.
    ///   - bufferSize: How many bytes may wait, going by the average size of a value: 64 KiB. Less than one traps.
    ///   - durability: When to make sure that everything is on the disk.
    ///   - receiveEnd: Told of the end.
    /// - Returns: A cancellable. Nobody has to hold it on to: what has begun goes on without.
    @discardableResult public func write(
        to file: File, mode: WritingMode = .overwrite, bufferSize: Int = 1 << 16,
        durability: Durability = .whenever, receiveEnd: @escaping StreamClosure<Written<Failure>, Void>
    ) -> some Cancellable {
        checkBufferSize(bufferSize)
        let sink = WritingSink<Failure>(
            on: .waiting("writing"), bufferSize: bufferSize,
            open: { () throws(SystemError) in try file.open(mode: mode, durability: durability) },
            onEnd: receiveEnd)
        subscribe(sink)
        return sink
    }

    /// Writes everything that is published to a file, a pipe or a standard stream, and waits for the end.
    ///
    /// ```swift no-run
    /// let result = await File.standardInput.bytes().write(to: .standardOutput)
    /// if result?.isComplete != true { print("not everything was written") }
    /// ```
    ///
    /// **Demand** and **Complexity** are those of the method with a closure. **Completion**: returns how it ended; cancelling the
    /// task cancels upstream, and `nil` is returned.
    public func write(
        to file: File, mode: WritingMode = .overwrite, bufferSize: Int = 1 << 16, durability: Durability = .whenever
    ) async -> Written<Failure>? {
        let outcome = WritingOutcome<Failure>()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                outcome.wait(with: continuation)
                let writing = write(
                    to: file, mode: mode, bufferSize: bufferSize, durability: durability,
                    receiveEnd: outcome.tell)
                outcome.cancel(with: AnyCancellable(writing))
            }
        } onCancel: {
            outcome.cancel()
        }
    }
}

extension Publisher where Output == String {
    /// Writes every text that is published, each with a terminator after it, to a file, a pipe or a standard stream.
    ///
    /// ```swift
    /// ["one", "two"].publisher.write(to: .standardOutput, terminator: "\n") { _ in }
    /// // one
    /// // two
    /// ```
    ///
    /// **Demand**, **Completion** and **Complexity** are those of writing bytes.
    @discardableResult public func write(
        to file: File, terminator: String, mode: WritingMode = .overwrite, bufferSize: Int = 1 << 16,
        durability: Durability = .whenever, receiveEnd: @escaping StreamClosure<Written<Failure>, Void>
    ) -> some Cancellable {
        map { Bytes($0 + terminator) }
            .write(
                to: file, mode: mode, bufferSize: bufferSize, durability: durability, receiveEnd: receiveEnd)
    }

    /// Writes every text that is published, each with a terminator after it, and waits for the end.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of writing bytes.
    public func write(
        to file: File, terminator: String, mode: WritingMode = .overwrite, bufferSize: Int = 1 << 16,
        durability: Durability = .whenever
    ) async -> Written<Failure>? {
        await map { Bytes($0 + terminator) }
            .write(to: file, mode: mode, bufferSize: bufferSize, durability: durability)
    }
}
