import Synchronization

/// An object whose life can be followed: put it into values and closures, and see whether it is gone.
public final class Tracked: Sendable {
    private static let living = Atomic(0)

    /// How many there are.
    public static var count: Int { living.load(ordering: .acquiring) }

    /// Makes an object that is counted until it goes.
    public init() { Self.living.add(1, ordering: .relaxed) }

    deinit { Self.living.subtract(1, ordering: .releasing) }
}
