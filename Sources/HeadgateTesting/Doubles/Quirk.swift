/// Behaviour of a publisher that the contract permits, but that is unusual.
///
/// An operator that works with sequences and subjects may rely on more than the contract says, and one of these shows it:
///
/// ```swift
/// import Headgate
/// import HeadgateTesting
///
/// let source = TestPublisher<Int, Never>(serving: [1, 2, 3], quirk: .oneValuePerRequest)
/// let subscriber = TestSubscriber<Int, Never>(.first(2))
/// source.subscribe(subscriber)
/// print(subscriber.values, source.outstanding)
/// // [1] max(1)
/// source.serveNext()
/// print(subscriber.values)
/// // [1, 2]
/// ```
///
/// A source that sends on its own is a `TestPublisher` without a stock: what is sent without demand is ``TestPublisher/lost``.
public enum Quirk: Hashable, Sendable, CaseIterable {
    /// It serves one value in each request, however many are requested, and the next ones when the test says so.
    case oneValuePerRequest

    /// It delivers all that is requested before the request returns.
    case deliversInsideRequest

    /// It finishes from inside `cancel()`, and not before.
    case completesInsideCancel
}
