/// How an `AsyncConduit` requests values, and how many it keeps while no task comes for them.
@usableFromInline package enum AsyncPolicy: Hashable, Sendable {
    case lossless
    /// Like `lossless`, and every value of a source that can't wait is kept.
    case everything
    case onDemand
    case bounded(Int)
    case newest(Int)
}
