/// Cancels when the last iterator has been released.
@usableFromInline package final class AsyncReader<Output, Failure: Error> {
    @usableFromInline package let conduit: AsyncConduit<Output, Failure>

    @inlinable package init(_ conduit: AsyncConduit<Output, Failure>) { self.conduit = conduit }

    @inlinable deinit { conduit.cancel() }

    /// Polls for the calling task.
    // Neither is retained for each value: the caller retains the reader.
    @inlinable @inline(__always) package func poll() -> AsyncConduit<Output, Failure>.Polled {
        Unmanaged.passUnretained(self)._withUnsafeGuaranteedRef { reader in
            Unmanaged.passUnretained(reader.conduit)._withUnsafeGuaranteedRef { $0.poll() }
        }
    }
}
