import HeadgateCombine
import HeadgateCore
import HeadgateEngine

/// What lets `publisher(for:)` know the very class of the control that it is called on.
///
/// `Control` conforms to it, and with it every control.
public protocol ControlEventSource: AnyObject {}

extension ControlEventSource where Self: Control {
    /// A publisher of the control itself, whenever one of the events happens to it.
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
    /// A subscription is an entry in the control's list from the first demand to the end, to `cancel()`, or until it is let
    /// go of. The publisher keeps the control; its subscriptions don't.
    ///
    /// - **Demand**: an event that nobody asked for is dropped.
    /// - **Completion**: finishes when the control is gone; a subscriber that has not asked before learns it when it asks.
    /// - **Complexity**: one atomic account and one drain an event.
    ///
    /// - Parameter events: The events. Where several are sent together, the control is published once.
    public func publisher(for events: Control.Event) -> ControlPublisher<Self> {
        ControlPublisher(control: self, events: events)
    }
}

/// A publisher of a control, whenever something happens to it.
public struct ControlPublisher<C: Control>: Publisher {
    /// The control, of its very class.
    public typealias Output = C

    /// Nothing goes wrong.
    public typealias Failure = Never

    /// The control that is observed.
    public let control: C

    /// The events that are published.
    public let events: Control.Event

    /// Makes the publisher that `publisher(for:)` returns.
    public init(control: C, events: Control.Event) {
        self.control = control
        self.events = events
    }

    /// Connects a subscriber to an entry of its own.
    public func receive(subscriber: some Subscriber<Output, Failure>) {
        subscriber.receive(
            subscription: PushConduit<C, Never>(name: "ControlPublisher", to: subscriber) {
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
            })
    }
}

extension ControlPublisher: StrictlySendable where C: StrictlySendable {}
