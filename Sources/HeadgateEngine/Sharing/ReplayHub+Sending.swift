import HeadgateCore

// How values enter a hub without an upstream.
extension ReplayHub {
    /// Sends a value in the caller's turn.
    @inlinable package func send(_ value: Output) { takeTurn { self.add(value) } }

    /// Completes the stream, in the caller's turn.
    @inlinable package func send(completion: Subscribers.Completion<Failure>) { takeTurn { self.end(completion) } }

    /// Does work in the caller's turn.
    ///
    /// During a send from inside a delivery, the thread waits nowhere.
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
