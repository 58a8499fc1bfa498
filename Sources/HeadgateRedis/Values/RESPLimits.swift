/// How large a reply may be: what exceeds a limit is a failure, before any memory is taken for it.
package struct RESPLimits: Sendable {
    /// The maximum length of a string: 512 MiB, the server's own limit.
    package var length = 512 << 20

    /// The maximum number of elements of an array, a set or a push, and of keys and values of a map.
    package var elements = 1 << 24

    /// The maximum depth of nesting.
    package var depth = 128

    /// The maximum length of what is not preceded by its length: a status, an error, a number.
    package var lineLength = 1 << 16

    package init() {}
}

/// Why bytes are not a reply.
package struct RESPError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
