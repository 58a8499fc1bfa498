import HeadgateEngine

/// A property whose changes are published.
///
/// ```swift
/// final class Meter {
///     @Published var level = 0
/// }
///
/// let meter = Meter()
/// let watch = meter.$level.sink { print("level", $0) }
/// // level 0
/// meter.level = 1
/// // level 1
/// ```
///
/// The subscribers of `$level` receive the new value before the property changes. If the property is set during such a
/// delivery, or by another thread at the same time, it changes immediately, and the value is delivered after the
/// current one.
///
/// Use it for properties of classes. In an `ObservableObject`, it fires the object's `objectWillChange` first.
@propertyWrapper
public struct Published<Value> {
    @usableFromInline var storage: PublishedStorage<Value>

    /// Creates a property with an initial value; `@Published var level = 0` calls this.
    @inlinable public init(wrappedValue: Value) { storage = PublishedStorage(wrappedValue) }

    /// Creates a property with an initial value.
    @inlinable public init(initialValue: Value) { storage = PublishedStorage(initialValue) }

    /// The value, for properties of classes; unavailable in structures and enumerations.
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
            // Fetched first: subscribers may use the property while they are notified.
            let storage = object[keyPath: storageKeyPath].storage
            storage.send(newValue)
        }
    }

    /// The publisher of the property's values, `$level`.
    ///
    /// It is settable so that it can be passed to `assign(to:)`. Setting it has no effect: a property keeps its value
    /// and its subscribers.
    @inlinable public var projectedValue: Publisher {
        get { Publisher(storage) }
        set {}
    }

    /// A publisher of the values of a `@Published` property, beginning with the current one.
    ///
    /// - **Demand**: each subscriber has its own. A subscriber without demand misses values, and receives the most
    ///   recent one once it has demand.
    /// - **Completion**: never, even when the object is deallocated.
    /// - **Threads**: values are delivered on the thread that sets the property, or by one that is delivering already
    ///   (rule 3.6 of the contract); the current value that waits for demand on the thread of the request.
    public struct Publisher: HeadgateCore.Publisher {
        /// The type of the published values.
        public typealias Output = Value
        /// The type of error that the stream may fail with.
        public typealias Failure = Never

        @usableFromInline let storage: PublishedStorage<Value>

        @inlinable init(_ storage: PublishedStorage<Value>) { self.storage = storage }

        /// Changes the property, unless it has been changed since `version`.
        @inlinable package func change(to value: Value, ifStill version: Int) -> Bool {
            storage.send(value, ifStill: version)
        }

        /// The current value, and how often it has been set.
        @inlinable package var versioned: (value: Value, version: Int) { storage.versioned }

        /// Attaches a subscriber, which receives the current value once it has demand.
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
    /// There is nothing to store: upstream is cancelled when the object is deallocated.
    ///
    /// - **Demand**: requests unlimited values at once.
    /// - **Completion**: ignored.
    /// - **Threads**: the property is set, and its subscribers receive the value, on the thread on which upstream
    ///   delivers; on the thread that deallocates the object, upstream is cancelled.
    /// - **Complexity**: that of setting the property.
    ///
    /// - Parameter published: The property, with a dollar sign. It is set on the thread that delivers.
    @inlinable public func assign(to published: inout Published<Output>.Publisher) {
        receive(subscriber: PublishedConnection(published.storage))
    }
}

// Threads share only what is under a lock or in the hub.
extension Published: @unchecked Sendable where Value: Sendable {}

// Threads share the same of the property.
extension Published.Publisher: @unchecked Sendable where Value: Sendable {}
