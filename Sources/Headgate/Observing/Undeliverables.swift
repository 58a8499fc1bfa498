import HeadgateEngine

/// A signal that could not be delivered.
public enum UndeliverableSignal {
    /// A value that a policy has dropped.
    case value(Any)

    /// A failure that arrived after the completion or after `cancel()`.
    case failure(any Error)
}

extension UndeliverableSignal: CustomStringConvertible {
    /// What was dropped, as in `value(7)` and `failure(…)`.
    public var description: String {
        switch self {
        case .value(let value): "value(\(value))"
        case .failure(let failure): "failure(\(failure))"
        }
    }
}

/// A process-wide observer of signals that can't be delivered, from any stream.
///
/// These are failures that arrive when the subscriber has cancelled or another upstream has ended the stream, or that
/// wait when it cancels; the failures of `firstWithValue` before the one with which it fails; and values that
/// `onBackpressureDrop`, `onBackpressureBuffer`, `groupBy`, `window` and `flatMapFirst` drop, and `expand` publishes
/// without expanding, according to their policies; other operators that drop values don't report them here.
/// For a single stream, use ``HeadgateCore/Publisher/onUndeliverable(_:)``.
///
/// ```swift
/// import Headgate
/// import HeadgateTesting
///
/// Undeliverables.observe { print("nowhere to go:", $0) }
/// let source = PassthroughSubject<Int, Never>()
/// let subscriber = TestSubscriber<Int, Never>(.none)
/// source.onBackpressureDrop { _ in }.subscribe(subscriber)
/// source.send(7)
/// // nowhere to go: value(7)
/// Undeliverables.observe(nil)
/// ```
///
/// For a log, ``observe(every:clock:_:)`` counts: ten thousand drops are one line.
public enum Undeliverables {
    /// Sets the observer, in place of the previous one.
    ///
    /// There is none until this is called, and again after `nil`: a dropped failure then costs one atomic load, and a
    /// dropped value nothing. Dropped values are reported in streams that are subscribed to while an observer is set.
    ///
    /// - Parameter observer: Called on the thread that drops the signal, possibly by several threads at a time; `nil`
    ///   for no observer.
    public static func observe(_ observer: (@Sendable (UndeliverableSignal) -> Void)?) {
        guard let observer else { return Undeliverable.observe(nil) }
        Undeliverable.observe { signal, _ in
            switch signal {
            case .success(let value): observer(.value(value))
            case .failure(let failure): observer(.failure(failure))
            }
        }
    }
}

extension Undeliverable {
    /// Reports a dropped value to the policy's closure and to the process-wide observer.
    @usableFromInline package static func reporting<Value>(
        _ onDrop: ((Value) -> Void)?, by name: StaticString
    ) -> ((Value) -> Void)? {
        if !isObserved { return onDrop }
        let place = Place(attaching: name)
        return { value in
            onDrop?(value)
            note(.success(value), at: place)
        }
    }
}
