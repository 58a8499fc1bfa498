import HeadgateCore

/// What a publisher can say, as a value.
///
/// ```swift
/// let events = [Event<Int, Never>.value(1), .finished]
/// print(events)
/// // [value(1), finished]
/// ```
public enum Event<Output, Failure: Swift.Error> {
    /// A value.
    case value(Output)

    /// The stream has failed.
    case failure(Failure)

    /// The stream has finished.
    case finished
}

/// Something that stands for what a publisher can say.
public protocol EventConvertible {
    /// The kind of values.
    associatedtype Output

    /// The kind of error.
    associatedtype Failure: Swift.Error

    /// What it stands for.
    var event: Event<Output, Failure> { get }
}

extension Event: EventConvertible {
    /// The event itself.
    @inlinable public var event: Event<Output, Failure> { self }
}

extension Event: CustomStringConvertible {
    /// What is said, as in `value(1)`, `failure(…)` and `finished`.
    public var description: String {
        switch self {
        case .value(let value): "value(\(value))"
        case .failure(let failure): "failure(\(failure))"
        case .finished: "finished"
        }
    }
}

extension Event: Equatable where Output: Equatable, Failure: Equatable {}

extension Event: Hashable where Output: Hashable, Failure: Hashable {}

extension Event: Sendable where Output: Sendable {}
