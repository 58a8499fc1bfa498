/// How an `AsyncConduit` requests values, and how many it keeps while no task comes for them.
@usableFromInline package enum AsyncPolicy: Hashable, Sendable {
    case lossless
    case onDemand
    case bounded(Int)
    case newest(Int)
}
