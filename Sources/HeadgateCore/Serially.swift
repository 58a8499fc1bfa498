// Under the trait `StrictClosures`, schedulers and closure subscribers require Sendable closures. The library's own
// ones capture conduits, which one thread at a time calls (`Documentation/Contract.md`, rule 3.1), and values that
// operators accept only if they may move to another thread. Without the trait, these functions do nothing.

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
