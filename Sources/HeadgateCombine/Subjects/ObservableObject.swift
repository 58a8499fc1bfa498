import HeadgateCore
import HeadgateEngine

/// An object that tells its subscribers when it is about to change.
///
/// ```swift
/// final class Meter: ObservableObject {
///     @Published var level = 0
///     @Published var unit = "m"
/// }
///
/// let meter = Meter()
/// let watch = meter.objectWillChange.sink { print("about to change from", meter.level) }
/// meter.level = 1
/// // about to change from 0
/// ```
///
/// Where nothing else is said, `objectWillChange` fires before each change of a `@Published` property. An object without
/// such properties fires it itself, with `objectWillChange.send()`.
public protocol ObservableObject: AnyObject {
    /// What publishes that the object is about to change.
    associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher
    where ObjectWillChangePublisher.Failure == Never

    /// Publishes that the object is about to change.
    var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
    /// The publisher of this object, always the same.
    ///
    /// - **Complexity**: that of a look at all properties of the object.
    public var objectWillChange: ObservableObjectPublisher {
        var found: ObservableObjectPublisher?
        var mirror: Mirror? = Mirror(reflecting: self)
        while let level = mirror {
            for child in level.children {
                guard let property = child.value as? any ObservableProperty else { continue }
                let settled = property.adopt(found ?? ObservableObjectPublisher())
                // The first property decides, if others were told before.
                found = found ?? settled
            }
            mirror = level.superclassMirror
        }
        return found ?? ObservableObjectPublisher.ofObjectsWithoutProperties.publisher(for: self)
    }
}

/// A publisher that an object is about to change.
///
/// - **Demand**: is not waited for. Each subscriber hears of every change, as in Combine: an event that got lost would
///   leave a view of the object out of date.
/// - **Completion**: never comes.
public final class ObservableObjectPublisher: Publisher {
    /// An event without a value.
    public typealias Output = Void

    /// There is none.
    public typealias Failure = Never

    @usableFromInline let hub = Hub<Void, Never>(name: "ObservableObjectPublisher", latest: nil)

    static let ofObjectsWithoutProperties = ObservableObjectTable()

    /// Makes a publisher without subscribers.
    public init() {}

    deinit { hub.close() }

    /// Connects a subscriber.
    @inlinable public func receive(subscriber: some Subscriber<Void, Never>) {
        hub.attach(InsistingConduit(subscriber))
    }

    /// Tells the subscribers.
    @inlinable public func send() { hub.send(()) }
}

// Everything that threads share is in the hub, which puts it in one order.
extension ObservableObjectPublisher: @unchecked Sendable {}

/// The publishers of objects that have no `@Published` property in which to keep one.
///
/// Objects are held weakly. What belongs to those that have gone is swept out as others come.
// The rows are under a lock.
final class ObservableObjectTable: @unchecked Sendable {
    private struct Row {
        weak var object: AnyObject?
        let publisher: ObservableObjectPublisher
    }

    private struct Rows {
        var rows: [ObjectIdentifier: Row] = [:]
        var sizeOfNextSweep = 16
    }

    private let table = Guarded(Rows())

    func publisher(for object: AnyObject) -> ObservableObjectPublisher {
        let key = ObjectIdentifier(object)
        let new = ObservableObjectPublisher()
        // The second part is what has to be dropped behind the lock: a weak reference that is read may turn out to be
        // the last strong one.
        let (publisher, _) = table.withLock { table -> (ObservableObjectPublisher, [Any?]) in
            let row = table.rows[key]
            let owner = row?.object
            if let row, owner === object { return (row.publisher, [owner]) }
            var dropped: [Any?] = [row]
            if table.rows.count >= table.sizeOfNextSweep {
                let old = table.rows
                let living = old.map { ($0, $1.object) }
                table.rows = [:]
                for (key, object) in living where object != nil { table.rows[key] = old[key] }
                table.sizeOfNextSweep = Swift.max(16, table.rows.count * 2)
                dropped += [old, living] as [Any?]
            }
            table.rows[key] = Row(object: object, publisher: new)
            return (new, dropped)
        }
        return publisher
    }
}
