import HeadgateEngine

/// Gives `publisher(for:)` the static type of the control that it is called on.
///
/// `Control` and all its subclasses conform to it.
public protocol ControlEventSource: AnyObject {}

extension ControlEventSource where Self: Control {
    /// A publisher of the control itself, whenever one of the events occurs.
    ///
    /// Drops an event for which there is no demand. To keep it, put `buffer` after it.
    ///
    /// ```
    /// field     --a--b-----c-----
    /// self      --f--f-----f-----      editingChanged
    /// ```
    ///
    /// ```swift
    /// let field = TextField()
    /// let subscription = field.publisher(for: .editingChanged)
    ///     .compactMap { $0.text }
    ///     .sink { print($0) }
    /// field.insertText("a")
    /// field.insertText("b")
    /// // a
    /// // ab
    /// ```
    ///
    /// A subscription is registered with the control from the first demand until the completion, `cancel()` or its
    /// release. The publisher retains the control; its subscriptions don't.
    ///
    /// - **Demand**: an event without demand is dropped.
    /// - **Completion**: finishes when the control is deallocated; a subscriber without demand so far receives the
    ///   completion with its first request.
    /// - **Threads**: values are delivered on the thread on which the control sends the event.
    /// - **Complexity**: constant time per event and subscriber.
    ///
    /// - Parameter events: The events. If several are sent together, the control is published once.
    public func publisher(for events: Control.Event) -> ControlPublisher<Self> {
        ControlPublisher(control: self, events: events)
    }
}

/// A publisher of a control, whenever one of its events occurs.
public struct ControlPublisher<C: Control>: Publisher {
    /// The type of the published values.
    public typealias Output = C

    /// The type of error that the stream may fail with.
    public typealias Failure = Never

    /// The control that is observed.
    public let control: C

    /// The events that are published.
    public let events: Control.Event

    /// Creates the publisher that `publisher(for:)` returns.
    public init(control: C, events: Control.Event) {
        self.control = control
        self.events = events
    }

    /// Attaches a subscriber; `subscribe(_:)` calls this.
    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) { serve(AnySubscriber(subscriber)) }

    @usableFromInline func serve(_ subscriber: AnySubscriber<Output, Failure>) {
        let conduit = PushConduit<C, Never>(name: "ControlPublisher", to: subscriber) {
            [weak control, events] conduit in
            guard let control else {
                conduit.finish(.finished)
                return {}
            }
            let registration = Control.Registration(target: conduit, events: events) {
                [weak conduit, weak control] in
                if let control { conduit?.push(control) }
            } end: { [weak conduit] in
                conduit?.finish(.finished)
            }
            control.add(registration)
            return { [weak control] in control?.remove(registration) }
        }
        conduit.send(to: subscriber)
    }
}

extension ControlPublisher: Sendable where C: Sendable {}
