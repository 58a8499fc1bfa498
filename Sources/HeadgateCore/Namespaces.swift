/// The publishers that operators return: `Publishers.Map`, `Publishers.Zip` and the rest.
public enum Publishers {}

/// The subscribers `Subscribers.Sink` and `Subscribers.Assign`, and the types of their protocol, `Subscribers.Demand`
/// and `Subscribers.Completion`.
public enum Subscribers {}

/// Ready-made subscriptions.
public enum Subscriptions {}
