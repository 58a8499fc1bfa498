import HeadgateCore
import Synchronization

/// Where signals go that have no subscriber, if there is an observer for them.
///
/// Only consulted when a signal is dropped, so it costs nothing on the path of a value.
@usableFromInline package enum Undeliverable {
    /// A value or a failure that was dropped.
    @usableFromInline package typealias Signal = Result<Any, any Error>

    /// Where a signal was dropped, if that is known.
    @usableFromInline package struct Place: Sendable {
        /// The operator that dropped it.
        package let name: StaticString

        /// The next stage of a flow downstream of the operator.
        package let stage: String?

        /// Takes the name of an operator that is being attached.
        @usableFromInline package init(attaching name: StaticString) {
            self.name = name
            stage = QueueRegistry.current?.name
        }
    }

    static let handler = Guarded<(@Sendable (Signal, Place?) -> Void)?>(nil)

    static let hasHandler = Atomic(false)

    /// Whether there is an observer.
    @usableFromInline package static var isObserved: Bool { hasHandler.load(ordering: .relaxed) }

    /// Sets the observer of dropped signals; `nil` for none.
    @usableFromInline package static func observe(_ report: (@Sendable (Signal, Place?) -> Void)?) {
        // The old one is released outside the lock.
        let old = handler.withLock { exchange(&$0, with: report) }
        hasHandler.store(report != nil, ordering: .relaxed)
        _ = old
    }

    /// Reports a signal that is dropped.
    @usableFromInline package static func note(_ signal: Signal) {
        if isObserved { handler.withLock { $0 }?(signal, nil) }
    }

    /// Reports a signal that is dropped in a place that is known.
    @usableFromInline package static func note(_ signal: Signal, at place: Place) {
        if isObserved { handler.withLock { $0 }?(signal, place) }
    }

    /// Reports a completion that is dropped, if it is a failure.
    @inlinable package static func note<Failure>(_ completion: Subscribers.Completion<Failure>) {
        if case .failure(let failure) = completion { note(.failure(failure)) }
    }
}
