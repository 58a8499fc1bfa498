extension Flow {
    /// Records what happens at the stages, and writes a trace for Perfetto.
    ///
    /// ```swift no-run
    /// let flow = Flow("ingest")
    /// let recording = flow.record(to: File("run.json"))
    /// let ingesting = lines.stage("read", in: flow).map(\.count).stage("parsed", in: flow).sink { print($0) }
    /// // …
    /// try recording.finish()
    /// ```
    ///
    /// Nothing is opened before the recording is finished; one that is released first writes nothing. An existing file is
    /// replaced atomically.
    ///
    /// - Parameters:
    ///   - trace: The trace, in the JSON array format of the Trace Event Format.
    ///   - limit: How many events are kept, the most recent ones: at least one; traps otherwise.
    public func record(to trace: File, limit: Int = 100_000) -> FlowRecorder {
        FlowRecorder(record(limit: limit), trace)
    }
}

/// A recording of a flow that is written to a file.
///
/// Any thread may use it.
public final class FlowRecorder: Sendable {
    /// What has been recorded so far.
    public let recording: FlowRecording

    private let trace: File

    init(_ recording: FlowRecording, _ trace: File) {
        self.recording = recording
        self.trace = trace
    }

    /// Stops recording, and writes the file; blocks until it is written.
    ///
    /// Throws a ``SystemError`` if it can't be written; an existing file is left as it is then. May be called again.
    public func finish() throws(SystemError) {
        recording.stop()
        try trace.replace(with: recording.trace)
    }
}

extension File {
    /// Replaces the contents of the file.
    fileprivate func replace(with text: String) throws(SystemError) {
        let destination = try open(mode: .replace, durability: .whenever)
        do {
            try destination.writeAll(text)
            try destination.finish()
        } catch {
            destination.abandon()
            throw error
        }
    }
}
