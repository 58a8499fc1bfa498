import Synchronization

// The closure is read and cleared by the one caller that turns `isCancelled`, hence unchecked, here and below.
/// A cancellable of any kind that cancels by itself when the last reference to it goes.
///
/// Whatever it holds is cancelled once: at the first `cancel()` or at the end of its life, and let go of at that moment.
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

    @exclusivity(unchecked) @usableFromInline var action: (() -> Void)?

    /// Makes a cancellable that runs a closure, at most once, on the thread that cancels.
    @inlinable public init(_ cancel: @escaping StreamClosure<Void>) {
        action = cancel
    }

    /// Makes a cancellable that cancels another one.
    @inlinable public init<C: Cancellable>(_ canceller: C) {
        action = { canceller.cancel() }
    }

    @inlinable deinit { cancel() }

    /// Cancels, unless that has been done.
    @inlinable public func cancel() {
        if isCancelled.exchange(true, ordering: .acquiringAndReleasing) { return }
        let action = self.action.take()
        action?()
    }
}

extension AnyCancellable: Hashable {
    /// Whether both are the same object.
    public static func == (lhs: AnyCancellable, rhs: AnyCancellable) -> Bool { lhs === rhs }

    /// Feeds the identity of the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension AnyCancellable {
    /// Keeps this alive in a collection; it is cancelled when the collection lets go of it.
    @inlinable public func store<C: RangeReplaceableCollection>(in collection: inout C)
    where C.Element == AnyCancellable {
        collection.append(self)
    }

    /// Keeps this alive in a set; it is cancelled when the set lets go of it.
    @inlinable public func store(in set: inout Set<AnyCancellable>) {
        set.insert(self)
    }
}
