import HeadgateCore
import HeadgateEngine

/// A signal that had nowhere to go.
public enum UndeliverableSignal {
    /// A value that a policy has dropped.
    case value(Any)

    /// A failure that came after the end, or after `cancel()`.
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

/// The one place of a process that hears of signals which have nowhere to go, in whatever stream.
///
/// These are failures that come when nobody is there to hear them any more, because the subscriber has cancelled or another
/// upstream has ended the stream, and values that `onBackpressureDrop`, `onBackpressureBuffer`, `groupBy`, `window`,
/// `flatMapFirst` and `expand` drop by their policies. A process that logs them here loses none unseen. For one stream alone there is
/// ``HeadgateCore/Publisher/onUndeliverable(_:)``.
///
/// ```swift
/// Undeliverables.observe { print("nowhere to go:", $0) }
/// let source = PassthroughSubject<Int, Never>()
/// let subscriber = TestSubscriber<Int, Never>(.none)
/// source.onBackpressureDrop { _ in }.subscribe(subscriber)
/// source.send(7)
/// // nowhere to go: value(7)
/// Undeliverables.observe(nil)
/// ```
public enum Undeliverables {
    /// Sets what hears of them from now on, in the place of what was set before.
    ///
    /// Off until it is called, and again after `nil`: a failure that is dropped then costs one look at an atomic flag, and a
    /// value nothing. Dropped values are heard of in streams that are subscribed to while it is on.
    ///
    /// - Parameter hear: Called on the thread that drops the signal, by several at a time; `nil` for nobody.
    public static func observe(_ hear: (@Sendable (UndeliverableSignal) -> Void)?) {
        guard let hear else { return Undeliverable.observe(nil) }
        Undeliverable.observe { signal in
            switch signal {
            case .value(let value): hear(.value(value))
            case .failure(let failure): hear(.failure(failure))
            }
        }
    }
}

extension Undeliverable {
    /// What a policy tells of a value that it drops: whoever it was told to tell, and whoever hears of all.
    @usableFromInline package static func telling<Value>(_ onDrop: ((Value) -> Void)?) -> ((Value) -> Void)? {
        if !isObserved { return onDrop }
        return { value in
            onDrop?(value)
            note(.value(value))
        }
    }
}
