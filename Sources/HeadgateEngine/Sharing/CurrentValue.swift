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

    /// Stores a value that is to be sent.
    ///
    /// The value it replaces is returned in its place, to be released outside the lock.
    @inlinable mutating func take(_ new: inout Value, incoming coming: inout Value?, _ moment: Moment) {
        version += 1
        if moment == .beforeDelivery { return swap(&value, &new) }
        coming = new
        swap(&incoming, &coming)
    }
}

/// When a sent value becomes the current one.
@usableFromInline package enum Moment {
    case beforeDelivery
    case afterDelivery
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
    /// - Returns: Whether the value is current now.
    @discardableResult @inlinable package func send(
        _ value: Output, settingIn current: borrowing Guarded<CurrentValue<Output>>, _ moment: Moment = .beforeDelivery,
        ifStill version: Int? = nil
    ) -> Bool {
        let isInside = Drain.beginSending()
        let isSent = pass(value, settingIn: current, moment, ifStill: version)
        Drain.endSending(isInside)
        return isSent
    }

    /// Forwards a value of an upstream and makes it current.
    @discardableResult @inlinable @inline(__always) package func pass(
        _ value: Output, settingIn current: borrowing Guarded<CurrentValue<Output>>, _ moment: Moment = .beforeDelivery,
        ifStill version: Int? = nil
    ) -> Bool {
        // The replaced value is released when this returns, outside the lock.
        var old = value
        var incoming: Output?
        let admission = current.withLock { current in
            if current.hasEnded || version.map({ $0 != current.version }) ?? false {
                return Admission.refused(isSent: false)
            }
            if !drain.enter() { return .busy }
            current.take(&old, incoming: &incoming, moment)
            return .owner(current.version)
        }
        switch admission {
        case .owner(let version):
            deliver(value, settingIn: current, moment, version)
            return true
        case .busy, .refused:
            return contend(value, settingIn: current, moment, ifStill: version)
        }
    }

    @usableFromInline package enum Admission {
        case owner(Int)
        case busy
        case refused(isSent: Bool)
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
        finish()
    }

    @inlinable @inline(never) package func contend(
        _ value: Output, settingIn current: borrowing Guarded<CurrentValue<Output>>, _ moment: Moment,
        ifStill version: Int?
    ) -> Bool {
        var old = value
        var incoming: Output?
        var admission = Admission.busy
        let isOwner = drain.contend(mayWait: drain.mayForward, slows: true) {
            admission = current.withLock { current in
                if version.map({ $0 != current.version }) ?? false { return .refused(isSent: false) }
                if current.hasEnded { return .refused(isSent: version != nil && setAfterTheEnd(&old, in: &current)) }
                if !drain.enterIfIdle() { return .busy }
                current.take(&old, incoming: &incoming, moment)
                return .owner(current.version)
            }
            if case .busy = admission { return false }
            return true
        } push: {
            admission = current.withLock { current in
                if version.map({ $0 != current.version }) ?? false { return .refused(isSent: false) }
                if current.hasEnded { return .refused(isSent: version != nil && setAfterTheEnd(&old, in: &current)) }
                let isLeft = drain.push { self.deliver(value) }
                if isLeft {
                    // The value that is being delivered must not become current after this one.
                    current.take(&old, incoming: &incoming, .beforeDelivery)
                    swap(&current.incoming, &incoming)
                    return .busy
                }
                current.take(&old, incoming: &incoming, moment)
                return .owner(current.version)
            }
            if case .owner = admission { return false }
            return true
        }
        switch admission {
        case .owner(let version) where isOwner: deliver(value, settingIn: current, moment, version)
        case .refused(let isSent): return isSent
        default: break
        }
        return true
    }

    /// Makes a value current although the stream has completed and the value won't be delivered.
    @inlinable func setAfterTheEnd(_ value: inout Output, in current: inout CurrentValue<Output>) -> Bool {
        current.version += 1
        swap(&current.value, &value)
        return true
    }

    /// Makes a value current and sends it, unless the stream has completed: then it only becomes current.
    @inlinable package func set(_ value: Output, in current: borrowing Guarded<CurrentValue<Output>>) {
        if send(value, settingIn: current) { return }
        var old = value
        current.withLock { if $0.hasEnded { _ = setAfterTheEnd(&old, in: &$0) } }
    }

    /// Completes the stream, unless it has completed.
    @inlinable package func send(
        completion: Subscribers.Completion<Failure>, endingIn current: borrowing Guarded<CurrentValue<Output>>
    ) {
        if !current.withLock({ exchange(&$0.hasEnded, with: true) }) { send(completion: completion) }
    }
}
