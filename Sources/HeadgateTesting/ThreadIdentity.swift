import HeadgateThread

/// The identity of a running thread.
package struct ThreadIdentity: Hashable, Sendable {
    /// A number that no other running thread has; greater than fifteen.
    package let rawValue: UInt

    /// The calling thread.
    package static var current: ThreadIdentity { ThreadIdentity(rawValue: headgate_thread()) }
}
