import Headgate

extension Flow {
    /// Records what happens at the stages, and writes a page for a browser, and a trace if a file for it is named.
    ///
    /// ```swift no-run
    /// let flow = Flow("ingest")
    /// let recording = flow.record(to: File("run.html"), trace: File("run.json"))
    /// let ingesting = lines.stage("read", in: flow).map(\.count).stage("parsed", in: flow).sink { print($0) }
    /// // …
    /// try recording.finish()
    /// ```
    ///
    /// Nothing is opened before the recording is finished; one that is released first writes nothing. Existing files are
    /// replaced atomically.
    ///
    /// - Parameters:
    ///   - page: The page.
    ///   - trace: The trace, for Perfetto.
    ///   - limit: How many events are kept, the most recent ones: at least one; traps otherwise.
    public func record(to page: File, trace: File? = nil, limit: Int = 100_000) -> FlowRecorder {
        FlowRecorder(record(limit: limit), page: page, trace: trace)
    }
}

/// A recording of a flow that is written to files.
///
/// Any thread may use it.
public final class FlowRecorder: Sendable {
    /// What has been recorded so far.
    public let recording: FlowRecording

    private let page: File
    private let trace: File?

    init(_ recording: FlowRecording, page: File, trace: File?) {
        self.recording = recording
        self.page = page
        self.trace = trace
    }

    /// Stops recording, and writes the files; blocks until they are written.
    ///
    /// Throws a ``SystemError`` if a file can't be written; an existing one is left as it is then. May be called again.
    public func finish() throws(SystemError) {
        recording.stop()
        try page.replace(with: recording.page)
        try trace?.replace(with: recording.trace)
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
