/// The failure of a stream that has been retried as often as its policy allows.
public struct RetryExhausted<Failure: Error>: Error {
    /// Why there was no further attempt.
    public enum Reason: Hashable, Sendable {
        /// The policy allows no more of them.
        case retries

        /// The failure is not one that is tried again.
        case refused
    }

    /// Why there was no further attempt.
    public let reason: Reason

    /// How many attempts there were since the beginning, the first one included.
    public let attempts: Int

    /// The failure of the last attempt.
    public let lastFailure: Failure

    /// Makes the failure of its parts.
    public init(reason: Reason, attempts: Int, lastFailure: Failure) {
        self.reason = reason
        self.attempts = attempts
        self.lastFailure = lastFailure
    }
}

extension RetryExhausted: CustomStringConvertible {
    /// How it went, in words.
    public var description: String {
        let times = attempts == 1 ? "1 attempt" : "\(attempts) attempts"
        return switch reason {
        case .retries: "failed after \(times): \(lastFailure)"
        case .refused: "not tried again after \(times): \(lastFailure)"
        }
    }
}

extension RetryExhausted: Equatable where Failure: Equatable {}

extension RetryExhausted: Hashable where Failure: Hashable {}

/// A retry that is about to be made.
public struct RetryAttempt<Failure: Error> {
    /// How many retries there have been since the count began, this one included.
    public let number: Int

    /// How long the stream waits before it.
    public let delay: Duration

    /// What the last attempt failed with.
    public let failure: Failure

    /// Makes the description of an attempt of its parts.
    public init(number: Int, delay: Duration, failure: Failure) {
        self.number = number
        self.delay = delay
        self.failure = failure
    }
}

extension RetryAttempt: Sendable where Failure: Sendable {}
