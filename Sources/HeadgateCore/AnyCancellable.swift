import Synchronization

// Threads share only `isCancelled`, which is atomic.
/// A type-erased cancellable that cancels automatically when its last reference is released.
///
/// It cancels at most once, at the first `cancel()` or when it is deallocated, and then releases what it holds.
///
/// ```swift
/// let numbers = PassthroughSubject<Int, Never>()
/// var cancellables: Set<AnyCancellable> = []
/// numbers.sink { print($0) }.store(in: &cancellables)
/// numbers.send(1)
/// cancellables.removeAll()
/// numbers.send(2)
/// // 1
/// ```
public final class AnyCancellable: Cancellable, @unchecked Sendable {
    @usableFromInline let isCancelled = Atomic(false)

    // Confined to the caller that sets `isCancelled`.
    @exclusivity(unchecked) @usableFromInline var action: (() -> Void)?

    /// Creates a cancellable that runs a closure, at most once, on the cancelling thread.
    @preconcurrency public init(_ cancel: @escaping @Sendable () -> Void) {
        action = cancel
    }

    /// Creates a cancellable that has nothing to cancel.
    @usableFromInline package init() {}

    /// Creates a cancellable that cancels another one.
    @inlinable public init<C: Cancellable>(_ canceller: C) {
        action = { canceller.cancel() }
    }

    deinit { cancel() }

    /// Cancels, unless it has been cancelled.
    public func cancel() {
        // Relaxed: what the one caller that goes on uses was there before anybody had this.
        if isCancelled.exchange(true, ordering: .relaxed) { return }
        let action = self.action.take()
        action?()
    }
}

extension AnyCancellable: Hashable {
    /// Returns whether both are the same object.
    public static func == (lhs: AnyCancellable, rhs: AnyCancellable) -> Bool { lhs === rhs }

    /// Feeds what is compared into a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension AnyCancellable {
    /// Stores this cancellable in a collection; it is cancelled when the collection releases it.
    @inlinable public func store<C: RangeReplaceableCollection>(in collection: inout C)
    where C.Element == AnyCancellable {
        collection.append(self)
    }

    /// Stores this cancellable in a set; it is cancelled when the set releases it.
    @inlinable public func store(in set: inout Set<AnyCancellable>) {
        set.insert(self)
    }
}
