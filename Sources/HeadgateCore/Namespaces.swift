/// The types that operators return: `Publishers.Map`, `Publishers.Zip` and the rest.
public enum Publishers {}

/// The types that receive: `Subscribers.Sink`, `Subscribers.Assign`, and what they speak in, `Subscribers.Demand` and
/// `Subscribers.Completion`.
public enum Subscribers {}

/// Ready-made subscriptions.
public enum Subscriptions {}
