#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What tells one running thread from every other.
struct ThreadIdentity: Hashable, Sendable {
    /// A number that no other running thread has; never zero.
    let rawValue: UInt

    /// The thread that asks.
    static var current: ThreadIdentity {
        #if canImport(Darwin)
            ThreadIdentity(rawValue: UInt(bitPattern: pthread_self()))
        #else
            ThreadIdentity(rawValue: UInt(pthread_self()))
        #endif
    }
}
