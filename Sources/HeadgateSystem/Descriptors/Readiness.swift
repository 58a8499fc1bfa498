#if !os(Linux)
    @preconcurrency import Dispatch
#endif

/// Reports when a descriptor can be read or written, once per call of `wait`.
///
/// Belongs to one queue: `wait` is called there, and calls back there. The descriptor stays open until it is no longer
/// watched.
// Confined to that queue, and to `deinit`, which has exclusive access.
package final class Readiness: @unchecked Sendable {
    /// The event to wait for.
    package enum Event { case reading, writing }

    private var onReady: (() -> Void)?

    #if os(Linux)
        private let descriptor: Descriptor
        private let event: Event
        private let queue: DeliveryQueue
        // Made for the first wait and used for all: to make it anew takes two allocations per event.
        private var waiter: Poller.Waiter?

        /// Creates a watcher that waits for nothing yet.
        package init(of descriptor: Descriptor, for event: Event, on queue: DeliveryQueue) {
            self.descriptor = descriptor
            self.event = event
            self.queue = queue
            descriptor.beginWatching()
            Poller.shared.join(descriptor.number)
        }

        deinit {
            Poller.shared.leave(descriptor.number, event)
            descriptor.endWatching()
        }

        /// Calls back once, when there is something to read or room to write.
        ///
        /// Replaces an earlier callback.
        package func wait(_ onReady: @escaping () -> Void) {
            self.onReady = onReady
            let waiter =
                waiter
                ?? Poller.Waiter(queue: queue) { [weak self] in
                    // Not retained during the call: once released, it stops waiting for the number, for which another
                    // may wait on another queue by then, as for room in a connection that has just been made.
                    let onReady = self?.onReady.take()
                    onReady?()
                }
            self.waiter = waiter
            Poller.shared.wait(for: event, of: descriptor.number, waiter)
        }
    #else
        private let source: any DispatchSourceProtocol
        private var isSuspended = true

        /// Creates a watcher that waits for nothing yet.
        package init(of descriptor: Descriptor, for event: Event, on queue: DeliveryQueue) {
            let (number, queue) = (descriptor.number, queue.events)
            switch event {
            case .reading: source = DispatchSource.makeReadSource(fileDescriptor: number, queue: queue)
            case .writing: source = DispatchSource.makeWriteSource(fileDescriptor: number, queue: queue)
            }
            descriptor.beginWatching()
            source.setCancelHandler { descriptor.endWatching() }
            source.setEventHandler { [weak self] in self?.becomeReady() }
        }

        deinit {
            source.cancel()
            // Dispatch traps when a suspended source is released.
            if isSuspended { source.resume() }
        }

        /// Calls back once, when there is something to read or room to write.
        ///
        /// Replaces an earlier callback.
        package func wait(_ onReady: @escaping () -> Void) {
            self.onReady = onReady
            if isSuspended {
                isSuspended = false
                source.resume()
            }
        }

        private func becomeReady() {
            isSuspended = true
            source.suspend()
            onReady.take()?()
        }
    #endif
}
