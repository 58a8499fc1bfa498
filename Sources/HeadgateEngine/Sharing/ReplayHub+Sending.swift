import HeadgateCore

// How values come into a hub that has no upstream.
extension ReplayHub {
    /// Sends a value in the caller's turn.
    @inlinable package func send(_ value: Output) { takeTurn { self.add(value) } }

    /// Ends the stream, in the caller's turn.
    @inlinable package func send(completion: Subscribers.Completion<Failure>) { takeTurn { self.end(completion) } }

    /// Does work in the caller's turn.
    ///
    /// For the length of a send from inside a delivery, the thread waits nowhere.
    @inlinable @inline(__always) func takeTurn(_ work: @escaping () -> Void) {
        let isInside = Drain.beginSending()
        drain.run(work)
        Drain.endSending(isInside)
    }

    @inlinable func add(_ value: Output) {
        if ending != nil { return }
        append(value)
        serveAll()
    }

    @inlinable func end(_ completion: Subscribers.Completion<Failure>) {
        if ending != nil { return }
        ending = completion
        serveAll()
    }
}
