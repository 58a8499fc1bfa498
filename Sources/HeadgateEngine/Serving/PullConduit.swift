import HeadgateCore

/// Serves one subscriber from a source that is read: exactly as many elements as are requested, and the completion as
/// soon as the end is known.
///
/// The caller that raises the outstanding demand from zero delivers; demand that arrives meanwhile, from inside the
/// delivery or from another thread, is added and left to the running loop. So delivery is serial and the stack stays
/// flat.
@usableFromInline
package final class PullConduit<Source: PullSource, Downstream: Subscriber>: ConduitSubscription, SignalHandling
where Downstream.Input == Source.Element {
    /// The receiving side.
    @usableFromInline package struct Receiver: ~Copyable {
        @usableFromInline package let downstream: Downstream

        @usableFromInline package let completion: Subscribers.Completion<Downstream.Failure>

        @inlinable init(_ downstream: Downstream, _ completion: Subscribers.Completion<Downstream.Failure>) {
            self.downstream = downstream
            self.completion = completion
        }

        /// Delivers an element to the subscriber in place, which retains nothing.
        @inlinable @inline(__always) func receive(_ element: Source.Element) -> Subscribers.Demand {
            downstream.receive(element)
        }
    }

    /// Attaches a subscriber, or completes at once if there are known to be no elements.
    @inlinable package static func connect(
        _ source: Source, to downstream: Downstream, _ completion: Subscribers.Completion<Downstream.Failure>,
        _ label: @autoclosure () -> Any
    ) {
        if source.isAtEnd { return downstream.complete(with: completion) }
        if Downstream._needsNoSubscription {
            var elements = source.elements
            while let element = elements.next() { _ = downstream.receive(element) }
            return downstream.receive(completion: completion)
        }
        downstream.receive(subscription: PullConduit(source, completion, downstream, label: label()))
    }

    @usableFromInline package let outstanding = OutstandingDemand()

    // Both behind pointers, because the `deinit` of a generic class runs unspecialised: for these members, it would look up
    // the metadata of each, at ten times the cost of the allocation. `release()` runs specialised. And in two places of one
    // piece of memory, because code that is not specialised would look up the type of both together for each request.
    //
    // Confined to the caller that raised `outstanding` from zero, or that closed it.
    @usableFromInline package let source: UnsafeMutablePointer<Source>

    @usableFromInline package let receiver: UnsafeMutablePointer<Receiver>

    @exclusivity(unchecked) @usableFromInline package var isReleased = false

    /// The description in a log: a name, or the sequence that is read, until the stream has completed.
    @usableFromInline package let label: Any

    @inlinable package init(
        _ source: consuming Source, _ completion: Subscribers.Completion<Downstream.Failure>, _ downstream: Downstream,
        label: Any
    ) {
        let alignment = MemoryLayout<Receiver>.alignment
        let offset = (MemoryLayout<Source>.size + alignment - 1) & -alignment
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: offset + MemoryLayout<Receiver>.size, alignment: max(MemoryLayout<Source>.alignment, alignment))
        self.source = memory.initializeMemory(as: Source.self, to: source)
        receiver = (memory + offset).bindMemory(to: Receiver.self, capacity: 1)
        receiver.initialize(to: Receiver(downstream, completion))
        self.label = label
        super.init(handle: PullConduit.handling)
    }

    @inlinable deinit {
        if !isReleased { release() }
    }

    @inlinable package func handleRequest(_ demand: Subscribers.Demand) {
        if outstanding.add(demand) == Subscribers.Demand.none { serve(demand) }
    }

    @inlinable package func handleCancel() {
        // With demand outstanding, a delivery is under way, which checks the account after every element.
        if outstanding.close() == Subscribers.Demand.none { release() }
    }

    /// Delivers until there is no demand, no element, or no subscriber left.
    @inlinable @inline(__always) func serve(_ demand: Subscribers.Demand) {
        var served = demand
        var due = demand
        // A subscriber that has requested during a delivery is likely to do so again: then a load comes before the exchange.
        var isToppedUp = false
        while due == .unlimited ? deliverEverything() : deliver(due) {
            var current = isToppedUp ? outstanding.current : served
            if current == served {
                if outstanding.settle(served) { return }
                current = outstanding.current
                isToppedUp = true
            }
            due = current - served
            served = current
        }
        release()
    }

    /// Delivers as many elements as there is demand for.
    ///
    /// - Returns: Whether the stream continues.
    @inlinable @inline(__always) func deliver(_ due: Subscribers.Demand) -> Bool {
        var due = due
        while due > .none {
            guard let element = source.pointee.next() else { return finish() }
            let more = receiver.pointee.receive(element)
            if outstanding.isClosed { return false }
            if source.pointee.isAtEnd { return finish() }
            if more == .max(1) { continue }
            due -= 1
            if more == .none { continue }
            due += more
            if due == .unlimited {
                outstanding.add(.unlimited)
                break
            }
        }
        return !outstanding.isClosed
    }

    /// Delivers all remaining elements, without arithmetic.
    ///
    /// - Returns: Whether the stream continues, which it doesn't.
    @inlinable package func deliverEverything() -> Bool {
        let downstream = receiver.pointee.downstream
        if source.pointee.deliverAll(to: downstream) { return outstanding.isClosed ? false : finish() }
        var elements = source.pointee.elements
        while let element = elements.next() {
            _ = downstream.receive(element)
            if outstanding.isClosed { return false }
        }
        return finish()
    }

    /// Completes the stream, unless it was cancelled.
    ///
    /// - Returns: Whether the stream continues, which it doesn't.
    @inlinable package func finish() -> Bool {
        if outstanding.close() != nil { receiver.pointee.downstream.receive(completion: receiver.pointee.completion) }
        return false
    }

    @inlinable package func release() {
        isReleased = true
        source.deinitialize(count: 1)
        receiver.deinitialize(count: 1)
        UnsafeMutableRawPointer(source).deallocate()
    }

    @usableFromInline package override var description: String {
        outstanding.isClosed && !(label is StaticString) ? "Sequence" : String(describing: label)
    }

    @usableFromInline package override var customMirror: Mirror {
        if label is StaticString { return super.customMirror }
        return Mirror(self, children: ["sequence": outstanding.isClosed ? [Source.Element]() : label])
    }

    @usableFromInline package override var traits: SubscriptionTraits { .answersDemandAtOnce }
}
