/// Where bytes are written to; belongs to the queue of the sink that writes.
package protocol WritingDestination: AnyObject {
    /// The descriptor that can be written when there is room again.
    var descriptor: Descriptor { get }

    /// Writes as much as there is room for.
    ///
    /// - Returns: The number of bytes written, or `nil` if there is no room now.
    func write(_ bytes: Bytes) throws(SystemError) -> Int?

    /// Everything is written: closes, or does whatever else completes it.
    func finish() throws(SystemError)

    /// Nothing more will be written, and not everything was.
    func abandon()
}

/// A descriptor as a destination, closed at the end.
package final class DescriptorDestination: WritingDestination {
    package let descriptor: Descriptor
    private let calls: SystemCalls

    /// Writes to a descriptor in non-blocking mode.
    package init(_ descriptor: Descriptor, calls: SystemCalls = .live) {
        self.descriptor = descriptor
        self.calls = calls
    }

    package func write(_ bytes: Bytes) throws(SystemError) -> Int? {
        try bytes.withUnsafeBytes { memory throws(SystemError) in try calls.write(descriptor, memory) }
    }

    package func finish() throws(SystemError) { try descriptor.close() }

    package func abandon() { try? descriptor.close() }
}
