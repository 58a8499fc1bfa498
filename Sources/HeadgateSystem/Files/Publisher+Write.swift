/// What happens to an existing file that is written to.
public enum WritingMode: Hashable, Sendable {
    /// It is truncated first.
    case overwrite
    /// New bytes are appended.
    case append
    /// It is replaced atomically after everything has been written: readers see the old file or the new one, never a
    /// part. If writing fails or is cancelled, or the process dies, the old file stays, and nothing else. The new one has its
    /// permissions, and, if the process may give them, its owner and group; other names of the old one (hard links) keep
    /// the old content. A symbolic link stays, and its target is replaced or created; a device or a pipe is simply
    /// written to.
    case replace
    /// Nothing is written, and the stream fails with the code `EEXIST`.
    case create
}

/// When a writer makes sure that the written bytes are on the disk.
public enum Durability: Hashable, Sendable {
    /// The system decides.
    case whenever
    /// Before the stream is reported as finished; without effect on a pipe or a device.
    case onDisk
}

extension Publisher where Output == Bytes {
    /// Writes everything that is published to a file, a pipe or a standard stream.
    ///
    /// ```
    /// self      c---c---c---|
    /// write     ------------3     bytes, to a file
    /// ```
    ///
    /// ```swift
    /// let writing = Just(Bytes("hello\n")).write(to: File("greeting.txt"), mode: .replace) { print($0) }
    /// // finished(bytes: 6)
    /// ```
    ///
    /// Buffers only while writing is blocked: bytes are written as soon as there is room, and those that accumulated
    /// meanwhile with one call. `SIGPIPE` is never raised: a pipe or connection without a reader ends with
    /// ``Written/readerClosed(bytes:)``.
    ///
    /// - **Demand**: each written value is replaced by new demand. Requests one value first, then as many as fit the
    ///   buffer by their average size, at least one; none while the pipe has no room.
    /// - **Completion**: `receiveEnd` is called once, on the writer's queue, with the outcome and the number of bytes
    ///   written. When upstream fails, the writer doesn't wait for room: what does not fit is dropped. After
    ///   `cancel()` it is not called, and unwritten bytes are dropped.
    /// - **Threads**: upstream may deliver on any thread, and never waits for the file, which is opened and written on
    ///   the writer's queue. More is requested from there, and `receiveEnd` called. The cancellable may be used on any
    ///   thread.
    /// - **Complexity**: one system call per value, or fewer for small values, which are copied once.
    ///
    /// - Parameters:
    ///   - file: Where to write. Opened when the subscription arrives.
    ///   - mode: What happens to an existing file. Standard streams, pipes and devices are simply written to.
    ///   - bufferSize: How many bytes may wait, estimated by the average size of a value: 64 KiB. Less than one traps.
    ///   - durability: When to make sure that everything is on the disk.
    ///   - stallLimit: How long a pipe may have no room before writing fails with the code `ETIMEDOUT`.
    ///   - receiveEnd: Called with the outcome.
    /// - Returns: A cancellable. It need not be kept: writing continues without it.
    @discardableResult @inlinable public func write(
        to file: File, mode: WritingMode = .overwrite, bufferSize: Int = 1 << 16,
        durability: Durability = .whenever, stallLimit: StallLimit? = nil,
        receiveEnd: @escaping @Sendable (Written<Failure>) -> Void
    ) -> some Cancellable & Sendable {
        let sink = WritingSink<Failure>(
            to: file, mode: mode, bufferSize: bufferSize, durability: durability, stallLimit: stallLimit,
            onEnd: receiveEnd)
        subscribe(writing: sink)
        return sink
    }

    /// Writes everything that is published to a file, a pipe or a standard stream, and waits for the end.
    ///
    /// ```swift no-run
    /// let result = await File.standardInput.bytes().write(to: .standardOutput)
    /// if result?.isComplete != true { print("not everything was written") }
    /// ```
    ///
    /// **Demand**, **Threads** and **Complexity** are those of the method with a closure. **Completion**: returns the
    /// outcome; cancelling the task cancels upstream and returns `nil`.
    @inlinable public func write(
        to file: File, mode: WritingMode = .overwrite, bufferSize: Int = 1 << 16, durability: Durability = .whenever,
        stallLimit: StallLimit? = nil
    ) async -> Written<Failure>? {
        await Written.outcome { receiveEnd in
            write(
                to: file, mode: mode, bufferSize: bufferSize, durability: durability, stallLimit: stallLimit,
                receiveEnd: receiveEnd)
        }
    }
}

extension Publisher where Output == String {
    /// Writes each text that is published, followed by a terminator, to a file, a pipe or a standard stream.
    ///
    /// ```swift
    /// ["one", "two"].publisher.write(to: .standardOutput, terminator: "\n") { _ in }
    /// // one
    /// // two
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of writing bytes.
    @discardableResult @inlinable public func write(
        to file: File, terminator: String, mode: WritingMode = .overwrite, bufferSize: Int = 1 << 16,
        durability: Durability = .whenever, stallLimit: StallLimit? = nil,
        receiveEnd: @escaping @Sendable (Written<Failure>) -> Void
    ) -> some Cancellable & Sendable {
        map { Bytes($0 + terminator) }
            .write(
                to: file, mode: mode, bufferSize: bufferSize, durability: durability,
                stallLimit: stallLimit, receiveEnd: receiveEnd)
    }

    /// Writes each text that is published, followed by a terminator, and waits for the end.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of writing bytes.
    @inlinable public func write(
        to file: File, terminator: String, mode: WritingMode = .overwrite, bufferSize: Int = 1 << 16,
        durability: Durability = .whenever, stallLimit: StallLimit? = nil
    ) async -> Written<Failure>? {
        await map { Bytes($0 + terminator) }
            .write(
                to: file, mode: mode, bufferSize: bufferSize, durability: durability, stallLimit: stallLimit)
    }
}
