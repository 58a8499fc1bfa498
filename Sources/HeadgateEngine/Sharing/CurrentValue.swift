import HeadgateCore

/// The most recent value of a hub with a memory, for those that read it.
@usableFromInline package struct CurrentValue<Value> {
    @usableFromInline package var value: Value

    /// Counts the changes.
    @usableFromInline package var version = 0

    /// The value that is being delivered, and becomes current after that.
    @usableFromInline package var incoming: Value?

    @usableFromInline package var hasEnded = false

    @inlinable package init(_ value: Value) { self.value = value }

    /// The most recent value, delivered or not, and the number of changes.
    @inlinable package var versioned: (value: Value, version: Int) { (incoming ?? value, version) }

    /// Makes a value current, if its sender gets its turn or can enqueue it, and if nothing else has been sent since a version.
    ///
    /// What it replaces is returned in its place, to be released outside the lock.
    ///
    /// - Parameter takeTurn: Becomes the drain's owner, or enqueues the value.
    @inlinable @inline(__always) mutating func admit(
        _ new: inout Value, incoming coming: inout Value?, _ moment: Moment, ifStill version: Int?,
        takeTurn: () -> Turn
    ) -> Admission {
        if hasEnded || version.map({ $0 != self.version }) ?? false { return .refused }
        let turn = takeTurn()
        if turn == .notYet { return .waits }
        self.version += 1
        if turn == .taken, moment == .afterDelivery {
            coming = new
            swap(&incoming, &coming)
        } else {
            swap(&value, &new)
            // The value that is being delivered must not become current after this one.
            if turn == .enqueued { swap(&incoming, &coming) }
        }
        return turn == .taken ? .delivers(self.version) : .isEnqueued
    }

    /// Makes a value current that won't be delivered because the stream has completed.
    ///
    /// - Returns: Whether it has completed, and nothing has been sent since the version.
    @inlinable mutating func changeAfterTheEnd(to new: inout Value, ifStill version: Int?) -> Bool {
        if !hasEnded || version.map({ $0 != self.version }) ?? false { return false }
        self.version += 1
        swap(&value, &new)
        return true
    }
}

/// When a sent value becomes the current one.
@usableFromInline package enum Moment {
    case beforeDelivery
    case afterDelivery
}

/// Whether a sender has become the drain's owner.
@usableFromInline package enum Turn {
    case taken
    case enqueued
    case notYet
}

/// What becomes of a value that is to be current.
@usableFromInline package enum Admission {
    /// It is current, or will be after its sender has delivered it; this change has a number.
    case delivers(Int)
    /// It is current, and the drain's owner delivers it.
    case isEnqueued
    case waits
    case refused
}

/// Sending a value that is also read elsewhere: values become current in the order in which they are delivered.
///
/// Therefore taking one's turn, or enqueuing the value for the delivering thread, is atomic with the change, under the
/// lock of the current value. No user code runs under it. An enqueued value becomes current at once, so that its sender
/// can read it back.
extension Hub {
    /// Sends a value and makes it current.
    ///
    /// - Parameter version: If given, the value is only sent if no other has been sent since that version.
    /// - Returns: Whether it was sent: not after the completion.
    @discardableResult @inlinable package func send(
        _ value: Output, settingIn current: borrowing Guarded<CurrentValue<Output>>, _ moment: Moment = .beforeDelivery,
        ifStill version: Int? = nil
    ) -> Bool {
        let isInside = Drain.beginSending()
        let isSent = pass(value, settingIn: current, moment, ifStill: version)
        Drain.endSending(isInside)
        return isSent
    }

    /// Makes a value current and sends it, unless the stream has completed: then it only becomes current.
    @discardableResult @inlinable package func set(
        _ value: Output, in current: borrowing Guarded<CurrentValue<Output>>, ifStill version: Int? = nil
    ) -> Bool {
        if send(value, settingIn: current, ifStill: version) { return true }
        var old = value
        return current.withLock { $0.changeAfterTheEnd(to: &old, ifStill: version) }
    }

    /// Forwards a value of an upstream and makes it current.
    @discardableResult @inlinable @inline(__always) package func pass(
        _ value: Output, settingIn current: borrowing Guarded<CurrentValue<Output>>, _ moment: Moment = .beforeDelivery,
        ifStill version: Int? = nil
    ) -> Bool {
        // What is replaced is released when this returns, outside the lock.
        var old = value
        var incoming: Output?
        let admission = current.withLock {
            $0.admit(&old, incoming: &incoming, moment, ifStill: version) { drain.enter() ? .taken : .notYet }
        }
        switch admission {
        case .delivers(let version):
            deliver(value, settingIn: current, moment, version)
            return true
        case .waits: return contend(value, settingIn: current, moment, ifStill: version)
        case .isEnqueued: return true
        case .refused: return false
        }
    }

    /// Delivers a value whose sender owns the drain, and leaves.
    @inlinable @inline(__always) package func deliver(
        _ value: Output, settingIn current: borrowing Guarded<CurrentValue<Output>>, _ moment: Moment, _ version: Int
    ) {
        deliver(value)
        if moment == .afterDelivery {
            var old = value
            var incoming: Output?
            current.withLock { current in
                // A value sent meanwhile is already current.
                if current.version == version {
                    swap(&current.value, &old)
                    swap(&current.incoming, &incoming)
                }
            }
        }
        drain.leave()
    }

    /// Waits for the caller's turn, and enqueues the value if that takes too long.
    @inlinable @inline(never) package func contend(
        _ value: Output, settingIn current: borrowing Guarded<CurrentValue<Output>>, _ moment: Moment,
        ifStill version: Int?
    ) -> Bool {
        var old = value
        var incoming: Output?
        var admission = Admission.waits
        func admit(_ takeTurn: () -> Turn) {
            admission = current.withLock {
                $0.admit(&old, incoming: &incoming, moment, ifStill: version, takeTurn: takeTurn)
            }
        }
        _ = drain.contend(mayWait: drain.mayForward, slows: true) {
            admit { drain.enterIfIdle() ? .taken : .notYet }
            if case .waits = admission { return false }
            return true
        } push: {
            admit { drain.push { self.deliver(value) } ? .enqueued : .taken }
            if case .delivers = admission { return false }
            return true
        }
        switch admission {
        case .delivers(let version):
            deliver(value, settingIn: current, moment, version)
            return true
        case .isEnqueued, .waits: return true
        case .refused: return false
        }
    }

    /// Completes the stream, unless it has completed.
    @inlinable package func send(
        completion: Subscribers.Completion<Failure>, endingIn current: borrowing Guarded<CurrentValue<Output>>
    ) {
        if !current.withLock({ exchange(&$0.hasEnded, with: true) }) { send(completion: completion) }
    }
}
