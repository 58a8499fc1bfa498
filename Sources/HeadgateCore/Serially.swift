// Schedulers and subscribers made of closures want closures that are Sendable under the trait `StrictClosures`. Those of
// the library's own capture conduits, which are called by one thread at a time (`Documentation/Contract.md`, rule 3.1), and
// values that operators accept only where they may be carried to another thread. Without the trait these do nothing.

/// A closure that the library calls on one thread at a time.
@inlinable @inline(__always) package func serially(_ work: @escaping () -> Void) -> StreamClosure<Void> {
    #if StrictClosures
        nonisolated(unsafe) let work = work
        return { work() }
    #else
        return work
    #endif
}

/// A closure with a result that the library calls on one thread at a time.
@inlinable @inline(__always) @_disfavoredOverload
package func serially<Output>(_ work: @escaping () -> Output) -> StreamClosure<Output> {
    #if StrictClosures
        nonisolated(unsafe) let work = work
        return { work() }
    #else
        return work
    #endif
}

/// A closure of one argument that the library calls on one thread at a time.
@inlinable @inline(__always)
package func serially<Input, Output>(_ work: @escaping (Input) -> Output) -> StreamClosure<Input, Output> {
    #if StrictClosures
        nonisolated(unsafe) let work = work
        return { work($0) }
    #else
        return work
    #endif
}
