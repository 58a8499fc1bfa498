import HeadgateLibC

/// The identity of a running thread.
package struct ThreadIdentity: Hashable, Sendable {
    /// A number that no other running thread has; never zero.
    package let rawValue: UInt

    /// The calling thread.
    package static var current: ThreadIdentity {
        #if canImport(Darwin)
            ThreadIdentity(rawValue: UInt(bitPattern: pthread_self()))
        #else
            ThreadIdentity(rawValue: UInt(pthread_self()))
        #endif
    }
}
