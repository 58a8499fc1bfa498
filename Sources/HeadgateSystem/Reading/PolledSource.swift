import HeadgateEngine

/// A source that is polled on a delivery queue, and waited for by a descriptor.
package protocol PolledSource: Pollable where Failure == SystemError, Place == DeliveryQueue, Waiter == Readiness {
    /// The descriptor that becomes readable when there is a value after `.pending`.
    var descriptor: Descriptor { get }
}

extension PolledSource {
    package func waiter(on queue: DeliveryQueue) -> Readiness { Readiness(of: descriptor, for: .reading, on: queue) }
}

extension DeliveryQueue: PollingQueue {}

extension Readiness: PollingWaiter {}
