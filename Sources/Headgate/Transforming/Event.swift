/// An event of a stream, as a value.
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

/// A type that represents an event of a stream.
public protocol EventConvertible: SendableMetatype {
    /// The type of the values.
    associatedtype Output

    /// The type of the failure.
    associatedtype Failure: Swift.Error

    /// The event that it represents.
    var event: Event<Output, Failure> { get }
}

extension Event: EventConvertible {
    /// The event itself.
    @inlinable public var event: Event<Output, Failure> { self }
}

extension Event: CustomStringConvertible {
    /// The event as text, such as `value(1)`, `failure(…)` or `finished`.
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
