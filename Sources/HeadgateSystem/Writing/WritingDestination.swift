/// A destination of bytes; belongs to the queue of the sink that writes.
package protocol WritingDestination: AnyObject {
    /// The descriptor that becomes writable when there is room again.
    var descriptor: Descriptor { get }

    /// Writes as much as there is room for.
    ///
    /// - Returns: The number of bytes written, or `nil` if the call would block.
    func write(_ bytes: Bytes) throws(SystemError) -> Int?

    /// Calls back, on the queue, when it becomes known without a write that there is no reader any more.
    func watchReader(_ onLoss: @escaping @Sendable (SystemError) -> Void)

    /// The number of bytes written that the reader is not known to have got; zero if that can't be known.
    var unacknowledgedCount: Int { get }

    /// Completes the destination after everything has been written, for example by closing it.
    func finish() throws(SystemError)

    /// Abandons the destination before everything has been written.
    func abandon()
}

extension WritingDestination {
    package func watchReader(_ onLoss: @escaping @Sendable (SystemError) -> Void) {}

    package var unacknowledgedCount: Int { 0 }
}

/// A descriptor as a destination; closed at the end.
package final class DescriptorDestination: WritingDestination {
    package let descriptor: Descriptor
    private let calls: SystemCalls
    private let closesWhenAbandoned: Bool

    /// Writes to a descriptor in non-blocking mode.
    ///
    /// - Parameter closesWhenAbandoned: Otherwise it is closed when its last reference is released.
    package init(_ descriptor: Descriptor, closesWhenAbandoned: Bool = true, calls: SystemCalls = .live) {
        self.descriptor = descriptor
        self.calls = calls
        self.closesWhenAbandoned = closesWhenAbandoned
    }

    package func write(_ bytes: Bytes) throws(SystemError) -> Int? {
        try calls.write(descriptor, bytes)
    }

    package func finish() throws(SystemError) { try descriptor.close() }

    package func abandon() { if closesWhenAbandoned { try? descriptor.close() } }
}
