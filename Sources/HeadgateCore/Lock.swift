/// A lock that guards members of the object that it belongs to.
@usableFromInline package struct Lock: ~Copyable, Sendable {
    @usableFromInline let guarded = Guarded(())

    @inlinable package init() {}

    /// Reads or changes what the lock guards: briefly, and without user code.
    @inlinable @inline(__always) package func withLock<Result>(_ body: () -> Result) -> Result {
        guarded.withLock { _ in body() }
    }
}
