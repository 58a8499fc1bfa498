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

    /// Whether nothing else has been sent since a version, if there is one.
    @inlinable func isStill(_ version: Int?) -> Bool { version.map { $0 == self.version } ?? true }

    /// Makes a value current at once, and not the one that is being delivered.
    ///
    /// What is replaced is put in the place of what is given, to be released outside the lock.
    @inlinable mutating func replace(with new: inout Value, _ incoming: inout Value?) {
        version += 1
        swap(&value, &new)
        swap(&self.incoming, &incoming)
    }
}

/// Sending a value that is also read elsewhere: values become current in the order in which they are delivered.
///
/// The drain's owner makes its value current, unless one has been enqueued since it entered, which is delivered later
/// and is current already: at once, so that its sender can read it back. No user code runs under the lock.
extension Hub {
    /// Sends a value and makes it current.
    ///
    /// - Parameters:
    ///   - afterDelivery: Whether it becomes current after its delivery rather than before.
    ///   - version: If given, the value is only sent if no other has been sent since that version.
    /// - Returns: Whether it was sent: not after the completion.
    @discardableResult @inlinable package func send(
        _ value: Output, settingIn current: borrowing Guarded<CurrentValue<Output>>, afterDelivery: Bool = false,
        ifStill version: Int? = nil
    ) -> Bool {
        Drain.send {
            if drain.enter() || drain.waitForTurn() {
                return deliver(value, settingIn: current, afterDelivery: afterDelivery, ifStill: version)
            }
            return postpone(value, settingIn: current, afterDelivery: afterDelivery, ifStill: version)
        }
    }

    /// Makes a value current and sends it, unless the stream has completed: then it only becomes current.
    @discardableResult @inlinable package func set(
        _ value: Output, in current: borrowing Guarded<CurrentValue<Output>>, ifStill version: Int? = nil
    ) -> Bool {
        if send(value, settingIn: current, ifStill: version) { return true }
        // What is replaced is released when this returns, outside the lock.
        var old = value
        var incoming: Output?
        return current.withLock {
            if !$0.hasEnded || !$0.isStill(version) { return false }
            $0.replace(with: &old, &incoming)
            return true
        }
    }

    /// Makes a value current and delivers it, as the drain's owner, and leaves.
    @inlinable @inline(__always) func deliver(
        _ value: Output, settingIn current: borrowing Guarded<CurrentValue<Output>>, afterDelivery: Bool,
        ifStill version: Int?
    ) -> Bool {
        var old = value
        let isSent = current.withLock { current in
            if current.hasEnded || !current.isStill(version) { return false }
            let isNewest = UInt32(truncatingIfNeeded: current.version) == deliveries
            current.version += 1
            if !isNewest { return true }
            if afterDelivery { current.incoming = value } else { swap(&current.value, &old) }
            return true
        }
        if isSent {
            deliveries &+= 1
            deliver(value)
            if afterDelivery {
                current.withLock { current in
                    // A value that was enqueued meanwhile is already current.
                    if var new = current.incoming.take() {
                        swap(&current.value, &new)
                        old = new
                    }
                }
            }
        }
        drain.leave()
        return isSent
    }

    /// Makes a value current and enqueues it for the drain's owner; delivers it if there is none.
    @inlinable @inline(never) func postpone(
        _ value: Output, settingIn current: borrowing Guarded<CurrentValue<Output>>, afterDelivery: Bool,
        ifStill version: Int?
    ) -> Bool {
        var old = value
        var incoming: Output?
        // `nil` if there is no owner to do it.
        let isSent: Bool? = current.withLock {
            if $0.hasEnded || !$0.isStill(version) { return false }
            let isEnqueued = drain.push { [self] in
                deliveries &+= 1
                deliver(value)
            }
            if !isEnqueued { return nil }
            $0.replace(with: &old, &incoming)
            return true
        }
        return isSent ?? deliver(value, settingIn: current, afterDelivery: afterDelivery, ifStill: version)
    }

    /// Completes the stream, unless it has completed.
    @inlinable package func send(
        completion: Subscribers.Completion<Failure>, endingIn current: borrowing Guarded<CurrentValue<Output>>
    ) {
        if !current.withLock({ exchange(&$0.hasEnded, with: true) }) { send(completion: completion) }
    }
}
