// Schedulers and closure subscribers require Sendable closures. The library's own ones capture conduits, which one thread at
// a time calls (`Documentation/Contract.md`, rule 3.1).

/// A closure that the library calls on one thread at a time.
@inlinable @inline(__always) package func serially(_ work: @escaping () -> Void) -> @Sendable () -> Void {
    nonisolated(unsafe) let work = work
    return { work() }
}

/// A closure with a result that the library calls on one thread at a time.
@inlinable @inline(__always) @_disfavoredOverload
package func serially<Output>(_ work: @escaping () -> Output) -> @Sendable () -> Output {
    nonisolated(unsafe) let work = work
    return { work() }
}

/// A closure of one argument that the library calls on one thread at a time.
@inlinable @inline(__always)
package func serially<Input, Output>(_ work: @escaping (Input) -> Output) -> @Sendable (Input) -> Output {
    nonisolated(unsafe) let work = work
    return { work($0) }
}
