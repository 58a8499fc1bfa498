import HeadgateCore

/// The value that a hub with a memory has sent last, for those who read it.
@usableFromInline package struct CurrentValue<Value> {
    @usableFromInline package var value: Value

    /// Counts the changes.
    @usableFromInline package var version = 0

    @usableFromInline package var hasEnded = false

    @inlinable package init(_ value: Value) { self.value = value }
}

/// When a value that is sent becomes the current one.
@usableFromInline package enum Moment {
    case beforeDelivery
    case afterDelivery
}

/// Sending a value that is read elsewhere, too: values become current in the order in which they are delivered.
///
/// To take one's turn, or to leave the value to the thread that is delivering, is therefore one step with the change,
/// under the lock of the current value. Nothing foreign runs under it. A value that is left becomes current at once, so
/// that its sender can read it back.
extension Hub {
    /// Sends a value and makes it current.
    @inlinable package func send(
        _ value: Output, settingIn current: borrowing Guarded<CurrentValue<Output>>, _ moment: Moment = .beforeDelivery
    ) {
        let isInside = beginSending()
        pass(value, settingIn: current, moment)
        endSending(isInside)
    }

    /// Passes on a value of an upstream and makes it current.
    @inlinable @inline(__always) package func pass(
        _ value: Output, settingIn current: borrowing Guarded<CurrentValue<Output>>, _ moment: Moment = .beforeDelivery
    ) {
        // The old value is released when this returns, after the lock.
        var old = value
        let admission = current.withLock { current in
            if current.hasEnded { return Admission.refused }
            if !drain.enter() { return .busy }
            current.version += 1
            if moment == .beforeDelivery { swap(&current.value, &old) }
            return .owner(current.version)
        }
        switch admission {
        case .refused: break
        case .busy: contend(value, settingIn: current, moment)
        case .owner(let version): deliver(value, settingIn: current, moment, version)
        }
    }

    @usableFromInline package enum Admission {
        case owner(Int)
        case busy
        case refused
    }

    /// Delivers a value whose sender is the owner of the drain, and leaves.
    @inlinable @inline(__always) package func deliver(
        _ value: Output, settingIn current: borrowing Guarded<CurrentValue<Output>>, _ moment: Moment, _ version: Int
    ) {
        deliver(value)
        if moment == .afterDelivery {
            var old = value
            current.withLock { current in
                // A value that was sent meanwhile is already current.
                if current.version == version { swap(&current.value, &old) }
            }
        }
        finish()
    }

    @inlinable @inline(never) package func contend(
        _ value: Output, settingIn current: borrowing Guarded<CurrentValue<Output>>, _ moment: Moment
    ) {
        var old = value
        var admission = Admission.busy
        let isOwner = drain.contend(mayWait: drain.mayPassOn) {
            admission = current.withLock { current in
                if current.hasEnded { return .refused }
                if !drain.enterIfIdle() { return .busy }
                current.version += 1
                if moment == .beforeDelivery { swap(&current.value, &old) }
                return .owner(current.version)
            }
            if case .busy = admission { return false }
            return true
        } push: {
            admission = current.withLock { current in
                if current.hasEnded { return .refused }
                let isLeft = drain.push { self.deliver(value) }
                current.version += 1
                if isLeft || moment == .beforeDelivery { swap(&current.value, &old) }
                return isLeft ? .busy : .owner(current.version)
            }
            if case .owner = admission { return false }
            return true
        }
        if isOwner, case .owner(let version) = admission { deliver(value, settingIn: current, moment, version) }
    }

    /// Ends the stream, unless it has ended.
    @inlinable package func send(
        completion: Subscribers.Completion<Failure>, endingIn current: borrowing Guarded<CurrentValue<Output>>
    ) {
        if !current.withLock({ exchange(&$0.hasEnded, with: true) }) { send(completion: completion) }
    }

    /// Passes on the completion of an upstream, unless the stream has ended.
    @inlinable package func pass(
        completion: Subscribers.Completion<Failure>, endingIn current: borrowing Guarded<CurrentValue<Output>>
    ) {
        if !current.withLock({ exchange(&$0.hasEnded, with: true) }) { pass(completion: completion) }
    }
}
