/// The result of polling a source.
package enum Poll<Output> {
    /// A value.
    case value(Output)
    /// A value that is known to be the last.
    case last(Output)
    /// No value yet; poll again when the source's descriptor is readable.
    case pending
    /// A value that can't be taken yet, and no event reports when it can; poll again after a delay.
    case postponed
    /// No more values.
    case finished
}

/// A source outside the process that is polled once per value requested, and waited for by a descriptor.
///
/// It belongs to the queue of the conduit that serves from it, and is released at the end or at `cancel()`; its
/// `deinit` must free everything it holds.
package protocol PolledSource<Output>: AnyObject, SendableMetatype {
    /// The values.
    associatedtype Output

    /// The descriptor that becomes readable when there is a value after `.pending`.
    var descriptor: Descriptor { get }

    /// Takes a value if there is one, without blocking longer than a disk takes.
    func poll() throws(SystemError) -> Poll<Output>
}
