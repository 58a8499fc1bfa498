import HeadgateCore

/// What may happen on one edge of a pipeline: what the publisher says, and what the subscriber says.
public enum StreamEvent<Value, Failure: Error> {
    /// The subscriber hears its subscription, which a log would show by this name.
    case subscription(String)

    /// The subscriber asks for values.
    case request(Subscribers.Demand)

    /// The subscriber hears a value.
    case value(Value)

    /// The subscriber has dealt with a value, and asks for so many more.
    case answer(Subscribers.Demand)

    /// The subscriber hears the end.
    case completion(Subscribers.Completion<Failure>)

    /// The subscriber cancels.
    case cancel
}

extension StreamEvent: Sendable where Value: Sendable {}

extension StreamEvent: Equatable where Value: Equatable, Failure: Equatable {}
