/// The failure of a stream when its policy allows no further retry.
public struct RetryExhausted<Failure: Error>: Error {
    /// Why there was no further attempt.
    public enum Reason: Hashable, Sendable {
        /// The number of retries is exhausted.
        case retries

        /// Another attempt would begin later than the policy allows.
        case time

        /// The failure is not retried.
        case refused
    }

    /// Why there was no further attempt.
    public let reason: Reason

    /// The total number of attempts, including the first one.
    public let attempts: Int

    /// The failure of the last attempt.
    public let lastFailure: Failure

    /// Creates the failure from its parts.
    public init(reason: Reason, attempts: Int, lastFailure: Failure) {
        self.reason = reason
        self.attempts = attempts
        self.lastFailure = lastFailure
    }
}

extension RetryExhausted: CustomStringConvertible {
    /// The failure as text.
    public var description: String {
        let times = attempts == 1 ? "1 attempt" : "\(attempts) attempts"
        return switch reason {
        case .retries: "failed after \(times): \(lastFailure)"
        case .time: "failed after \(times), too late for another: \(lastFailure)"
        case .refused: "not tried again after \(times): \(lastFailure)"
        }
    }
}

extension RetryExhausted: Equatable where Failure: Equatable {}

extension RetryExhausted: Hashable where Failure: Hashable {}

/// A retry that is about to be made.
public struct RetryAttempt<Failure: Error> {
    /// The number of retries since the last reset, including this one.
    public let number: Int

    /// The delay before it.
    public let delay: Duration

    /// The failure of the last attempt.
    public let failure: Failure

    /// Creates the description of a retry from its parts.
    public init(number: Int, delay: Duration, failure: Failure) {
        self.number = number
        self.delay = delay
        self.failure = failure
    }
}

extension RetryAttempt: Sendable where Failure: Sendable {}
