import HeadgateEngine

/// An object that notifies its subscribers before it changes.
///
/// ```swift
/// final class Meter: ObservableObject {
///     @Published var level = 0
///     @Published var unit = "m"
/// }
///
/// let meter = Meter()
/// let watch = meter.objectWillChange.sink { print("about to change") }
/// meter.level = 1
/// // about to change
/// ```
///
/// By default, `objectWillChange` fires before each change of a `@Published` property. An object without such
/// properties fires it itself, with `objectWillChange.send()`.
public protocol ObservableObject: AnyObject {
    /// The type of publisher that announces a change.
    associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher
    where ObjectWillChangePublisher.Failure == Never

    /// Publishes an event before the object changes.
    var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
    /// The publisher of this object, always the same one.
    ///
    /// - **Complexity**: linear in the number of the object's properties.
    public var objectWillChange: ObservableObjectPublisher {
        var found: ObservableObjectPublisher?
        var mirror: Mirror? = Mirror(reflecting: self)
        while let level = mirror {
            for child in level.children {
                guard let property = child.value as? any ObservableProperty else { continue }
                let settled = property.adopt(found ?? ObservableObjectPublisher())
                // The first property decides, if others used different publishers before.
                found = found ?? settled
            }
            mirror = level.superclassMirror
        }
        return found ?? ObservableObjectPublisher.ofObjectsWithoutProperties.publisher(for: self)
    }
}

/// A publisher that announces a change of an object.
///
/// - **Demand**: ignored. Each subscriber receives every event, as in Combine: a lost event would leave a view of the
///   object out of date.
/// - **Completion**: never.
/// - **Threads**: delivers on the thread that announces the change, or by one that is delivering already.
public final class ObservableObjectPublisher: Publisher {
    /// The type of the published values.
    public typealias Output = Void
    /// The type of error that the stream may fail with.
    public typealias Failure = Never

    @usableFromInline let hub = Hub<Void, Never>(.objectWillChange, latest: nil)

    static let ofObjectsWithoutProperties = ObservableObjectTable()

    /// Creates a publisher without subscribers.
    public init() {}

    deinit { hub.close() }

    /// Attaches a subscriber; `subscribe(_:)` calls this.
    @inlinable public func receive(subscriber: some Subscriber<Void, Never>) {
        hub.attach(UnlimitedDemandConduit(subscriber))
    }

    /// Notifies the subscribers.
    @inlinable public func send() { hub.send(()) }
}

// Threads share only the hub, which serializes them.
extension ObservableObjectPublisher: @unchecked Sendable {}

/// The publishers of objects that have no `@Published` property to store one in.
///
/// Holds objects weakly. The entries of objects that are gone are removed as others are added.
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
        // The second part has to be released after unlocking: a weak reference that is read may turn out to be the last
        // strong one.
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
