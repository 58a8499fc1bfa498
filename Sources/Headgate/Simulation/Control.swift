import HeadgateCombine
import HeadgateCore
import HeadgateEngine
import Synchronization

/// Something that a user could press or type into, and that tells its targets of it; here programs do the pressing.
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
/// Targets are called in the order in which they were added, one event after the other: an event that is sent from inside
/// an action, or meanwhile by another thread, is told when all targets have heard the one before. No lock is held.
///
/// **Complexity**: an event, and adding and taking out a target, cost in proportion to the number of targets.
open class Control: ControlEventSource {
    /// What can happen to a control.
    public struct Event: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// Makes a set of events of bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// A touch has begun.
        public static let touchDown = Event(rawValue: 1 << 0)
        /// A touch has ended inside the control.
        public static let touchUpInside = Event(rawValue: 1 << 6)
        /// The value was changed.
        public static let valueChanged = Event(rawValue: 1 << 12)
        /// The control was used for what it is there for: a button was pressed, a line was entered.
        public static let primaryActionTriggered = Event(rawValue: 1 << 13)
        /// The user has begun to edit.
        public static let editingDidBegin = Event(rawValue: 1 << 16)
        /// The user has changed the text.
        public static let editingChanged = Event(rawValue: 1 << 17)
        /// The user has stopped editing.
        public static let editingDidEnd = Event(rawValue: 1 << 18)
        /// The user has stopped editing by the return key.
        public static let editingDidEndOnExit = Event(rawValue: 1 << 19)
        /// All events of touch.
        public static let allTouchEvents = Event(rawValue: 0x0000_0FFF)
        /// All events of text.
        public static let allEditingEvents = Event(rawValue: 0x000F_0000)
        /// All events.
        public static let allEvents = Event(rawValue: 0xFFFF_FFFF)
    }

    /// One entry in the list of those who are told.
    final class Registration {
        let events: Event
        let perform: () -> Void
        let end: () -> Void
        let isRemoved = Atomic(false)
        weak let target: AnyObject?

        init(target: AnyObject, events: Event, perform: @escaping () -> Void, end: @escaping () -> Void) {
            self.target = target
            self.events = events
            self.perform = perform
            self.end = end
        }
    }

    private let registrations = Guarded<[Registration]>([])
    private let drain = Drain()

    /// Makes a control without targets.
    public init() {}

    deinit {
        for registration in registrations.withLock({ exchange(&$0, with: []) }) { registration.end() }
    }

    /// Calls a method of an object whenever one of the events happens.
    ///
    /// The control does not keep the object.
    ///
    /// - Parameters:
    ///   - target: The object.
    ///   - action: The method, as in `Counter.increase`.
    ///   - events: The events. Where several are sent together, the method is called once.
    public func addTarget<Target: AnyObject>(
        _ target: Target, action: @escaping (Target) -> () -> Void, for events: Event
    ) {
        add(
            Registration(target: target, events: events) { [weak target] in
                if let target { action(target)() }
            } end: {
            })
    }

    /// Calls a method of an object, with the control, whenever one of the events happens.
    ///
    /// The control does not keep the object.
    ///
    /// - Parameters:
    ///   - target: The object.
    ///   - action: The method, as in `Form.nameChanged(_:)`.
    ///   - events: The events. Where several are sent together, the method is called once.
    public func addTarget<Target: AnyObject>(
        _ target: Target, action: @escaping (Target) -> (Control) -> Void, for events: Event
    ) {
        add(
            Registration(target: target, events: events) { [weak self, weak target] in
                if let self, let target { action(target)(self) }
            } end: {
            })
    }

    /// Takes a target out, so that it is called no more.
    ///
    /// - Parameters:
    ///   - target: The object; all of them where there is none.
    ///   - events: An entry is taken out if it was made for no other events than these.
    public func removeTarget(_ target: AnyObject?, for events: Event = .allEvents) {
        removeAll { $0.events.isSubset(of: events) && (target == nil || $0.target === target) }
    }

    /// Tells everybody who is there for one of the events.
    public func sendActions(for events: Event) {
        drain.run { [self] in
            for registration in registrations.withLock({ $0 }) where !registration.events.isDisjoint(with: events) {
                if !registration.isRemoved.load(ordering: .acquiring) { registration.perform() }
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

    /// Takes entries out, and drops outside of the lock what they hold.
    ///
    /// They are chosen outside of it too, for looking at a weak reference may make this the last one to hold the object.
    private func removeAll(where isOld: (Registration) -> Bool) {
        let all = registrations.withLock { $0 }
        var hasChanged = false
        for registration in all where isOld(registration) {
            registration.isRemoved.store(true, ordering: .releasing)
            hasChanged = true
        }
        if hasChanged { registrations.withLock { $0.removeAll { $0.isRemoved.load(ordering: .acquiring) } } }
    }
}
