import HeadgateCore

/// An event on one edge of a pipeline: a call of the publisher or of the subscriber.
public enum StreamEvent<Value, Failure: Error> {
    /// The subscriber received its subscription, which has this name in a log.
    case subscription(String)

    /// The subscriber requested values.
    case request(Subscribers.Demand)

    /// The subscriber received a value.
    case value(Value)

    /// The subscriber returned from receiving a value, with this additional demand.
    case answer(Subscribers.Demand)

    /// The subscriber received the completion.
    case completion(Subscribers.Completion<Failure>)

    /// The subscriber cancelled.
    case cancel
}

extension StreamEvent: Sendable where Value: Sendable {}

extension StreamEvent: Equatable where Value: Equatable, Failure: Equatable {}
