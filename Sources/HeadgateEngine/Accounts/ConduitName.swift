/// The description of a subscription in a log, in one word: a `StaticString` takes three.
@usableFromInline package struct ConduitName: CustomStringConvertible, @unchecked Sendable {
    @usableFromInline let text: UnsafePointer<UInt8>

    @inlinable package init(_ name: StaticString) { text = name.utf8Start }

    @usableFromInline package var description: String { String(cString: text) }
}
