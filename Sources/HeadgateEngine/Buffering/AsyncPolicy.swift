/// How an `AsyncConduit` requests values, and how many it keeps while no task consumes them.
@usableFromInline package enum AsyncPolicy: Hashable, Sendable {
    case lossless
    /// Like `lossless`, but keeps every value of a source that can't wait for demand.
    case everything
    case onDemand
    case bounded(Int)
    case newest(Int)
}
