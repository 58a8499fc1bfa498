extension RESPParser {
    /// How many elements a container of the incomplete reply still lacks.
    ///
    /// - Parameter depth: How many containers there are around the elements, by the kind of the reply.
    /// - Returns: `nil` if it has not begun, or if anything but its elements may be incomplete.
    package func lacking(at depth: (_ kind: UInt8) -> Int) -> Int? {
        guard isPlain, self.depth > 0, outer[0] == 1 else { return nil }
        let wanted = depth(kind)
        // What is around it has nothing after it, so all before it is there.
        guard self.depth >= wanted, outer[..<wanted].allSatisfy({ $0 == 1 }) else { return nil }
        return self.depth == wanted ? lacking : outer[wanted]
    }

    /// Takes what is there of an incomplete reply, after `next` has returned `nil`.
    ///
    /// - Parameter body: Reads complete values from the beginning of what has not been taken; it must not read further.
    package mutating func takePart(_ body: (inout RESPReader) -> Void) {
        guard let first = earlier.first else { return }
        var reader = RESPReader(RESPReply(kind: kind, first: first, others: Array(earlier.dropFirst())))
        body(&reader)
        earlier = reader.rest
    }
}
