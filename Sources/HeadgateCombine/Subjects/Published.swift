import HeadgateCore
import HeadgateEngine

/// A property whose changes are published.
///
/// ```swift
/// final class Meter {
///     @Published var level = 0
/// }
///
/// let meter = Meter()
/// let watch = meter.$level.sink { print($0, "was", meter.level) }
/// // 0 was 0
/// meter.level = 1
/// // 1 was 0
/// ```
///
/// The subscribers of `$level` hear the new value before the property has it. Where the property is set from inside such
/// a delivery, or from another thread at the same time, it changes at once, and the delivery follows behind the one
/// under way.
///
/// It is for properties of classes. In an `ObservableObject` it also fires the object's `objectWillChange`, first.
@propertyWrapper
public struct Published<Value> {
    @usableFromInline var storage: PublishedStorage<Value>

    /// Makes a property with its first value; `@Published var level = 0` calls this.
    @inlinable public init(wrappedValue: Value) { storage = PublishedStorage(wrappedValue) }

    /// Makes a property with its first value.
    @inlinable public init(initialValue: Value) { storage = PublishedStorage(initialValue) }

    /// The value, where the property belongs to a class; it does not work in a structure or an enumeration.
    @available(*, unavailable, message: "@Published works on properties of classes only.")
    public var wrappedValue: Value {
        get { storage.value }
        set { storage.send(newValue) }
    }

    /// Reads and changes the value in an object.
    @inlinable
    public static subscript<EnclosingSelf: AnyObject>(
        _enclosingInstance object: EnclosingSelf,
        wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
        storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Published<Value>>
    ) -> Value {
        get { object[keyPath: storageKeyPath].storage.value }
        set {
            // Fetched first: subscribers may use the property while they are told.
            let storage = object[keyPath: storageKeyPath].storage
            storage.send(newValue)
        }
    }

    /// The publisher of the property's values: what `$level` means.
    ///
    /// It can be set, so that it can be passed to `assign(to:)`. Setting it changes nothing: a property keeps its value
    /// and its subscribers.
    @inlinable public var projectedValue: Publisher {
        get { Publisher(storage) }
        set {}
    }

    /// A publisher of the values of a `@Published` property, beginning with the present one.
    ///
    /// - **Demand**: each subscriber has its own. A subscriber that has not asked misses values and gets the last one of
    ///   them when it asks.
    /// - **Completion**: never comes, also when the object goes.
    public struct Publisher: HeadgateCore.Publisher {
        /// The values of the property.
        public typealias Output = Value

        /// There is none.
        public typealias Failure = Never

        @usableFromInline let storage: PublishedStorage<Value>

        @inlinable init(_ storage: PublishedStorage<Value>) { self.storage = storage }

        /// Changes the property, unless that has been done since `version`.
        @inlinable package func change(to value: Value, ifStill version: Int) -> Bool {
            storage.send(value, ifStill: version)
        }

        /// The value that was set last, and how often one has been set.
        @inlinable package var versioned: (value: Value, version: Int) { storage.versioned }

        /// Connects a subscriber, which gets the present value as soon as it asks.
        @inlinable public func receive(subscriber: some Subscriber<Value, Never>) {
            storage.hub.attach(subscriber)
        }
    }
}

extension Publisher where Failure == Never {
    /// Writes each value into a `@Published` property, for as long as the property exists.
    ///
    /// ```
    /// self       1---2---3---|
    /// $property  1---2---3----
    /// ```
    ///
    /// ```swift
    /// final class Meter {
    ///     @Published var level = 0
    ///     init() { (1...3).publisher.assign(to: &$level) }
    /// }
    /// print(Meter().level)
    /// // 3
    /// ```
    ///
    /// There is nothing to keep: upstream is cancelled when the object goes.
    ///
    /// - **Demand**: everything, at once.
    /// - **Completion**: nobody is told.
    /// - **Complexity**: that of setting the property.
    ///
    /// - Parameter published: The property, with a dollar sign. It is set on the thread that delivers.
    @inlinable public func assign(to published: inout Published<Output>.Publisher) {
        receive(subscriber: PublishedConnection(published.storage))
    }
}

// What threads share is under a lock, or in the hub.
extension Published: @unchecked Sendable where Value: Sendable {}

// As above.
extension Published.Publisher: @unchecked Sendable where Value: Sendable {}
