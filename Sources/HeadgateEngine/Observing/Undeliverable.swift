import HeadgateCore
import Synchronization

/// Where signals go that have no subscriber, if there is an observer for them.
///
/// Only consulted when a signal is dropped, so it costs nothing on the path of a value.
@usableFromInline package enum Undeliverable {
    /// A value or a failure that was dropped.
    @usableFromInline package typealias Signal = Result<Any, any Error>

    static let handler = Guarded<(@Sendable (Signal, StaticString?) -> Void)?>(nil)

    static let hasHandler = Atomic(false)

    /// Whether there is an observer.
    @usableFromInline package static var isObserved: Bool { hasHandler.load(ordering: .relaxed) }

    /// Sets the observer of dropped signals; `nil` for none.
    @usableFromInline package static func observe(_ report: (@Sendable (Signal, StaticString?) -> Void)?) {
        // The old one is released outside the lock.
        let old = handler.withLock { exchange(&$0, with: report) }
        hasHandler.store(report != nil, ordering: .relaxed)
        _ = old
    }

    /// Reports a signal that is dropped.
    ///
    /// - Parameter place: The operator that drops it, if that is known.
    @usableFromInline package static func note(_ signal: Signal, by place: StaticString? = nil) {
        if isObserved { handler.withLock { $0 }?(signal, place) }
    }

    /// Reports a completion that is dropped, if it is a failure.
    @inlinable package static func note<Failure>(_ completion: Subscribers.Completion<Failure>) {
        if case .failure(let failure) = completion { note(.failure(failure)) }
    }
}
