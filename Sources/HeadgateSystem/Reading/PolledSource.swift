/// What one look at a source has come to.
package enum Poll<Output> {
    /// There was something.
    case value(Output)
    /// There was something, and it is known to have been the last.
    case last(Output)
    /// There is nothing yet; look again when the source's descriptor can be read.
    case pending
    /// There is something that can't be taken yet, and no event tells when it can; look again after a while.
    case postponed
    /// There is nothing more.
    case finished
}

/// Something outside the program that is looked at once for each value asked for, and can be waited for by a descriptor.
///
/// It belongs to the queue of the conduit that serves from it, and is released at the end or at `cancel()`, which has to
/// free everything it holds.
package protocol PolledSource<Output>: AnyObject, SendableMetatype {
    /// What is read.
    associatedtype Output

    /// The descriptor that can be read when there is something after `.pending`.
    var descriptor: Descriptor { get }

    /// Looks whether there is a value, without waiting longer than a disk takes.
    func poll() throws(SystemError) -> Poll<Output>
}
