import HeadgateEngine
import Synchronization

/// A control that a user could press or type into, and that notifies its targets; here programs send the events.
///
/// ```swift
/// final class Counter {
///     func increase(_ sender: Control) { print("one more") }
/// }
///
/// let button = Button(title: "More")
/// let counter = Counter()
/// button.addTarget(counter, action: Counter.increase, for: .primaryActionTriggered)
/// button.press()
/// // one more
/// ```
///
/// Targets are called in the order in which they were added, one event after the other: an event sent from inside an
/// action, or concurrently by another thread, is delivered after all targets have received the previous one. No lock is
/// held.
///
/// **Complexity**: sending an event, and adding or removing a target, take time linear in the number of targets.
open class Control: ControlEventSource {
    /// The events of a control.
    public struct Event: OptionSet, Hashable, Sendable {
        /// The bits of the set.
        public let rawValue: UInt

        /// Creates a set of events from bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// A touch has begun.
        public static let touchDown = Event(rawValue: 1 << 0)
        /// A touch has ended inside the control.
        public static let touchUpInside = Event(rawValue: 1 << 6)
        /// The value was changed.
        public static let valueChanged = Event(rawValue: 1 << 12)
        /// The control's primary action was triggered: a button was pressed, a line was entered.
        public static let primaryActionTriggered = Event(rawValue: 1 << 13)
        /// The user has begun to edit.
        public static let editingDidBegin = Event(rawValue: 1 << 16)
        /// The user has changed the text.
        public static let editingChanged = Event(rawValue: 1 << 17)
        /// The user has stopped editing.
        public static let editingDidEnd = Event(rawValue: 1 << 18)
        /// The user has stopped editing with the return key.
        public static let editingDidEndOnExit = Event(rawValue: 1 << 19)
        /// All touch events.
        public static let allTouchEvents = Event(rawValue: 0x0000_0FFF)
        /// All editing events.
        public static let allEditingEvents = Event(rawValue: 0x000F_0000)
        /// All events.
        public static let allEvents = Event(rawValue: 0xFFFF_FFFF)
    }

    /// One target or subscription, with the events that it is registered for.
    final class Registration {
        let events: Event
        let perform: () -> Void

        /// Completes a stream; `nil` for a target.
        let end: (() -> Void)?
        let isRemoved = Atomic(false)
        weak let target: AnyObject?

        init(target: AnyObject, events: Event, perform: @escaping () -> Void, end: (() -> Void)? = nil) {
            self.target = target
            self.events = events
            self.perform = perform
            self.end = end
        }
    }

    private let registrations = Guarded<[Registration]>([])
    private let drain = Drain()

    /// Creates a control without targets.
    public init() {}

    deinit {
        for registration in registrations.withLock({ exchange(&$0, with: []) }) { registration.end?() }
    }

    /// Calls a method of an object whenever one of the events occurs.
    ///
    /// The control does not retain the object.
    ///
    /// - Parameters:
    ///   - target: The object.
    ///   - action: The method, as in `Counter.increase`.
    ///   - events: The events. If several are sent together, the method is called once.
    public func addTarget<Target: AnyObject>(
        _ target: Target, action: @escaping (Target) -> () -> Void, for events: Event
    ) {
        add(
            Registration(target: target, events: events) { [weak target] in
                if let target { action(target)() }
            })
    }

    /// Calls a method of an object, with the control as its argument, whenever one of the events occurs.
    ///
    /// The control does not retain the object.
    ///
    /// - Parameters:
    ///   - target: The object.
    ///   - action: The method, as in `Form.nameChanged(_:)`.
    ///   - events: The events. If several are sent together, the method is called once.
    public func addTarget<Target: AnyObject>(
        _ target: Target, action: @escaping (Target) -> (Control) -> Void, for events: Event
    ) {
        add(
            Registration(target: target, events: events) { [weak self, weak target] in
                if let self, let target { action(target)(self) }
            })
    }

    /// Removes a target, so that it is no longer called.
    ///
    /// - Parameters:
    ///   - target: The object; `nil` for all targets, but not for the subscribers of `publisher(for:)`.
    ///   - events: A registration is removed if all its events are among these.
    public func removeTarget(_ target: AnyObject?, for events: Event = .allEvents) {
        removeAll { $0.events.isSubset(of: events) && (target == nil ? $0.end == nil : $0.target === target) }
    }

    /// Calls all targets that are registered for one of the events.
    public func sendActions(for events: Event) {
        drain.run { [self] in
            for registration in registrations.withLock({ $0 }) where !registration.events.isDisjoint(with: events) {
                if !registration.isRemoved.load(ordering: .relaxed) { registration.perform() }
            }
        }
    }

    func add(_ registration: Registration) {
        removeAll { $0.target == nil }
        registrations.withLock { $0.append(registration) }
    }

    func remove(_ registration: Registration) {
        removeAll { $0 === registration }
    }

    /// Removes registrations, and releases what they retain outside the lock.
    ///
    /// They are also chosen outside the lock, because loading a weak reference may make that the last strong one.
    private func removeAll(where isOld: (Registration) -> Bool) {
        let all = registrations.withLock { $0 }
        var hasChanged = false
        for registration in all where isOld(registration) {
            registration.isRemoved.store(true, ordering: .relaxed)
            hasChanged = true
        }
        if hasChanged { registrations.withLock { $0.removeAll { $0.isRemoved.load(ordering: .relaxed) } } }
    }
}
