/// How an assignment retains the object that it changes.
public enum ObjectOwnership: Hashable, Sendable, CaseIterable {
    /// Retains the object.
    case strong

    /// Does not retain the object, and does nothing after it has been deallocated.
    case weak

    /// Does not retain the object, which has to outlive the assignment: otherwise the next value traps.
    case unowned
}

extension Publisher where Failure == Never {
    /// Assigns each value to a property of an object, with a choice of how the object is retained.
    ///
    /// Combine's `assign(to:on:)`, without an ownership, retains it strongly.
    ///
    /// ```swift
    /// import Headgate
    /// import Synchronization
    ///
    /// final class Label: Sendable {
    ///     private let content = Mutex("")
    ///     var text: String {
    ///         get { content.withLock { $0 } }
    ///         set { content.withLock { $0 = newValue } }
    ///     }
    /// }
    /// let label = Label()
    /// let tie = Just("hello").assign(to: \.text, on: label, ownership: .weak)
    /// print(label.text)
    /// // hello
    /// ```
    ///
    /// - **Demand**: unlimited.
    /// - **Completion**: releases the object.
    /// - **Threads**: the property is set on the thread on which upstream delivers.
    /// - **Complexity**: one assignment per value.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - object: The object.
    ///   - ownership: How the object is retained.
    @preconcurrency @inlinable public func assign<Root: AnyObject & Sendable>(
        to keyPath: any ReferenceWritableKeyPath<Root, Output> & Sendable, on object: Root,
        ownership: ObjectOwnership
    ) -> AnyCancellable {
        sink(receiveValue: setter(keyPath, object, ownership))
    }

    /// Assigns each value to a property of each of two objects.
    ///
    /// ```swift
    /// import Headgate
    /// import Synchronization
    ///
    /// final class Label: Sendable {
    ///     private let content = Mutex("")
    ///     var text: String {
    ///         get { content.withLock { $0 } }
    ///         set { content.withLock { $0 = newValue } }
    ///     }
    /// }
    /// let (first, second) = (Label(), Label())
    /// let tie = Just("hello").assign(to: \.text, on: first, and: \.text, on: second)
    /// print(first.text, second.text)
    /// // hello hello
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `assign(to:on:)`.
    ///
    /// - Parameters:
    ///   - keyPath1: The property of the first object.
    ///   - object1: The first object.
    ///   - keyPath2: The property of the second object.
    ///   - object2: The second object.
    ///   - ownership: How both objects are retained.
    @preconcurrency @inlinable public func assign<Root1: AnyObject & Sendable, Root2: AnyObject & Sendable>(
        to keyPath1: any ReferenceWritableKeyPath<Root1, Output> & Sendable, on object1: Root1,
        and keyPath2: any ReferenceWritableKeyPath<Root2, Output> & Sendable, on object2: Root2,
        ownership: ObjectOwnership = .strong
    ) -> AnyCancellable {
        let setters = (setter(keyPath1, object1, ownership), setter(keyPath2, object2, ownership))
        return sink { value in
            setters.0(value)
            setters.1(value)
        }
    }

    /// Assigns each value to a property of each of three objects.
    ///
    /// ```swift
    /// import Headgate
    /// import Synchronization
    ///
    /// final class Label: Sendable {
    ///     private let content = Mutex("")
    ///     var text: String {
    ///         get { content.withLock { $0 } }
    ///         set { content.withLock { $0 = newValue } }
    ///     }
    /// }
    /// let labels = (Label(), Label(), Label())
    /// let tie = Just("hello")
    ///     .assign(to: \.text, on: labels.0, and: \.text, on: labels.1, and: \.text, on: labels.2, ownership: .weak)
    /// print(labels.2.text)
    /// // hello
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `assign(to:on:)`.
    ///
    /// - Parameters:
    ///   - keyPath1: The property of the first object.
    ///   - object1: The first object.
    ///   - keyPath2: The property of the second object.
    ///   - object2: The second object.
    ///   - keyPath3: The property of the third object.
    ///   - object3: The third object.
    ///   - ownership: How all objects are retained.
    @inlinable
    @preconcurrency
    public func assign<
        Root1: AnyObject & Sendable, Root2: AnyObject & Sendable, Root3: AnyObject & Sendable
    >(
        to keyPath1: any ReferenceWritableKeyPath<Root1, Output> & Sendable, on object1: Root1,
        and keyPath2: any ReferenceWritableKeyPath<Root2, Output> & Sendable, on object2: Root2,
        and keyPath3: any ReferenceWritableKeyPath<Root3, Output> & Sendable, on object3: Root3,
        ownership: ObjectOwnership = .strong
    ) -> AnyCancellable {
        let setters = (
            setter(keyPath1, object1, ownership), setter(keyPath2, object2, ownership),
            setter(keyPath3, object3, ownership)
        )
        return sink { value in
            setters.0(value)
            setters.1(value)
            setters.2(value)
        }
    }

    @inlinable func setter<Root: AnyObject & Sendable>(
        _ keyPath: any ReferenceWritableKeyPath<Root, Output> & Sendable, _ object: Root,
        _ ownership: ObjectOwnership
    ) -> @Sendable (Output) -> Void {
        switch ownership {
        case .strong: { object[keyPath: keyPath] = $0 }
        case .weak: { [weak object] in object?[keyPath: keyPath] = $0 }
        case .unowned: { [unowned object] in object[keyPath: keyPath] = $0 }
        }
    }
}
