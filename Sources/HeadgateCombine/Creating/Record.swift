import HeadgateEngine

/// Publishes recorded values and a recorded completion.
///
/// A record can be written to a file and read back.
///
/// ```
/// Record(output: [1, 2], completion: .failure(e))   (12x)
/// ```
///
/// ```swift
/// let cancellable = Record<Int, Never> { recording in
///     recording.receive(1)
///     recording.receive(2)
///     recording.receive(completion: .finished)
/// }.sink { print($0) }
/// // 1
/// // 2
/// ```
///
/// - **Demand**: as many values as are requested, at once, on the requesting thread.
/// - **Completion**: right after the last value; without values, at once and without demand.
/// - **Threads**: values are delivered on the requesting thread; what another thread requests meanwhile is delivered by
///   the one that is delivering.
public struct Record<Output, Failure: Error>: Publisher {
    /// The recording to publish.
    public let recording: Recording

    /// Creates a publisher of a recording that a closure makes.
    @inlinable public init(record: (inout Recording) -> Void) {
        var recording = Recording()
        record(&recording)
        self.init(recording: recording)
    }

    /// Creates a publisher of a recording.
    @inlinable public init(recording: Recording) { self.recording = recording }

    /// Creates a publisher of values and a completion.
    @inlinable public init(output: [Output], completion: Subscribers.Completion<Failure>) {
        self.init(recording: Recording(output: output, completion: completion))
    }

    /// Attaches a subscriber; `subscribe(_:)` calls this.
    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
        recording.output.connect(to: subscriber, completion: recording.completion, label: recording.output)
    }
}

extension Record {
    /// The values and the completion of a stream.
    public struct Recording {
        /// The type of the received values.
        public typealias Input = Output

        /// The values so far.
        public private(set) var output: [Output]

        /// The completion; `.finished` until one is received.
        public private(set) var completion: Subscribers.Completion<Failure>

        // Not encoded: a recording that is read is complete.
        private var isComplete = true

        /// Creates an empty recording.
        public init() {
            output = []
            completion = .finished
            isComplete = false
        }

        /// Creates a complete recording.
        public init(output: [Output], completion: Subscribers.Completion<Failure> = .finished) {
            self.output = output
            self.completion = completion
        }

        /// Adds a value; traps after the completion.
        public mutating func receive(_ input: Input) {
            checkIsOpen(for: "the value \(input)")
            output.append(input)
        }

        /// Completes the recording; traps if it is complete already.
        public mutating func receive(completion: Subscribers.Completion<Failure>) {
            checkIsOpen(for: "the completion \(completion)")
            self.completion = completion
            isComplete = true
        }

        private func checkIsOpen(for found: @autoclosure () -> String) {
            if isComplete {
                programmerError(
                    rule: "A recording can't receive anything after its completion.", found: found(),
                    remedy: "Start with an empty Recording() and send the completion last.")
            }
        }
    }
}

extension Record: Sendable where Output: Sendable {}

extension Record.Recording: Sendable where Output: Sendable {}

extension Record.Recording: Codable where Output: Codable, Failure: Codable {
    private enum CodingKeys: String, CodingKey {
        case output
        case completion
    }

    /// Writes the values under the key `output` and the completion under `completion`.
    public func encode(into encoder: any Encoder) throws { try encode(to: encoder) }
}

// The key is the name of the property, as in Combine, so that each can read what the other has written.
extension Record: Codable where Output: Codable, Failure: Codable {}
