import Synchronization

/// An object that is made when it is first needed, by any thread.
// Not `AtomicLazyReference`, whose code is not specialised: it looks up a type at each load.
@usableFromInline package struct LazyReference<Instance: AnyObject>: ~Copyable, @unchecked Sendable {
    @usableFromInline let place = Atomic<Unmanaged<Instance>?>(nil)

    @inlinable package init() {}

    @inlinable deinit { place.load(ordering: .relaxed)?.release() }

    /// The object, if it has been made.
    @inlinable package var existing: Instance? { place.load(ordering: .acquiring)?.takeUnretainedValue() }

    /// The object, which is made if there is none.
    @inlinable package func value(_ make: () -> Instance) -> Instance {
        if let existing { return existing }
        let new = Unmanaged.passRetained(make())
        let (isFirst, old) = place.compareExchange(expected: nil, desired: new, ordering: .acquiringAndReleasing)
        guard !isFirst, let old else { return new.takeUnretainedValue() }
        new.release()
        return old.takeUnretainedValue()
    }
}
