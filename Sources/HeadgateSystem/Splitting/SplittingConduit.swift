import HeadgateCore
import HeadgateEngine
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Serves one subscriber with the pieces of upstream's chunks, and requests a chunk only when the previous one is used
/// up.
///
/// Not generic, so that a piece takes two calls and no metadata look-up: only two closures know the types of the
/// subscriber and its failure.
// `inbox` and `upstream` are locked; the rest is confined to the caller that raised `work` from zero.
@usableFromInline final class SplittingConduit: Subscription, CustomStringConvertible, @unchecked Sendable {
    private struct Downstream {
        let receivePiece: (Bytes) -> Subscribers.Demand?
        let receiveCompletion: (Subscribers.Completion<SystemError>) -> Void
    }

    private struct Inbox {
        var chunks = Queue<Bytes>()
        var ending: Subscribers.Completion<SystemError>?
    }

    private enum Upstream {
        case awaited
        case connected(any Subscription)
        case over
    }

    @usableFromInline let description: String

    private let outstanding = OutstandingDemand()
    private let inbox = Guarded(Inbox())
    private let upstream = Guarded(Upstream.awaited)
    private let work = Atomic(0)

    // Confined to the caller that raised `work` from zero.
    @exclusivity(unchecked) private var splitter: (any Splitter)?
    @exclusivity(unchecked) private var downstream: Downstream?
    @exclusivity(unchecked) private var hasRequested = false

    /// Creates the conduit, which is the subscription for downstream.
    ///
    /// - Parameters:
    ///   - receivePiece: Delivers a piece; returns the additional demand, or `nil` if the piece is not UTF-8.
    ///   - receiveCompletion: Delivers the completion.
    @usableFromInline init(
        _ splitting: Splitting, receivePiece: @escaping (Bytes) -> Subscribers.Demand?,
        receiveCompletion: @escaping (Subscribers.Completion<SystemError>) -> Void
    ) {
        description = splitting.name
        splitter = splitting.makeSplitter()
        downstream = Downstream(receivePiece: receivePiece, receiveCompletion: receiveCompletion)
    }

    /// The subscriber for upstream.
    ///
    /// - Parameter receiveSubscription: Passes the conduit downstream.
    @usableFromInline func inlet(
        _ receiveSubscription: @escaping (SplittingConduit) -> Void
    ) -> AnySubscriber<Bytes, SystemError> {
        AnySubscriber(
            receiveSubscription: serially { if self.connect($0) { receiveSubscription(self) } },
            receiveValue: { chunk in
                self.take(chunk)
                return .none
            }, receiveCompletion: { self.complete($0) })
    }

    // MARK: Calls from downstream

    @usableFromInline func request(_ demand: Subscribers.Demand) {
        if outstanding.add(demand) != nil { drain() }
    }

    @usableFromInline func cancel() {
        guard outstanding.close() != nil else { return }
        leaveUpstream()?.cancel()
        drain()
    }

    // MARK: Calls from upstream

    /// - Returns: Whether this is the first subscription; others are cancelled.
    private func connect(_ subscription: any Subscription) -> Bool {
        let isFirst = upstream.withLock { upstream in
            guard case .awaited = upstream else { return false }
            upstream = .connected(subscription)
            return true
        }
        if !isFirst { subscription.cancel() }
        return isFirst
    }

    private func take(_ chunk: Bytes) {
        inbox.withLock { $0.chunks.append(chunk) }
        drain()
    }

    private func complete(_ ending: Subscribers.Completion<SystemError>) {
        inbox.withLock { inbox in
            if inbox.ending == nil { inbox.ending = ending }
        }
        drain()
    }

    private func leaveUpstream() -> (any Subscription)? {
        upstream.withLock { upstream in
            defer { upstream = .over }
            if case .connected(let subscription) = upstream { return subscription }
            return nil
        }
    }

    // MARK: Serving

    /// Serves, unless another caller does, which then checks again.
    private func drain() {
        if work.add(1, ordering: .acquiringAndReleasing).oldValue != 0 { return }
        var seen = 1
        repeat {
            serve()
            let left = work.subtract(seen, ordering: .acquiringAndReleasing).newValue
            seen = left
        } while seen != 0
    }

    private func serve() {
        do throws(SystemError) {
            while !outstanding.isClosed, let downstream, let splitter {
                try deliverPieces(of: splitter, to: downstream)
                if outstanding.isClosed { break }
                let isWanted = outstanding.current > .none
                if !isWanted, !splitter.isEmpty { return }
                switch takeFromInbox() {
                case .chunk(let chunk):
                    hasRequested = false
                    splitter.take(chunk)
                case .ending(.failure(let error)):
                    throw error
                case .ending(.finished):
                    if isWanted, try deliverRest(of: splitter, to: downstream) { continue }
                    if splitter.isEmpty { return end(.finished) }
                    return
                case .nothing:
                    if !isWanted || hasRequested { return }
                    hasRequested = true
                    requestChunk()
                }
            }
        } catch {
            return end(.failure(error))
        }
        release()
    }

    /// Delivers pieces of the current chunk, as many as requested.
    private func deliverPieces(of splitter: any Splitter, to downstream: Downstream) throws(SystemError) {
        if outstanding.current == .none { return }
        let receivePiece = downstream.receivePiece
        var isText = true
        try splitter.forEachPiece { piece in
            guard outstanding.takeOne() else { return false }
            guard let more = receivePiece(piece) else {
                isText = false
                return false
            }
            if more > .none { outstanding.add(more) }
            return outstanding.current > .none
        }
        if !isText { throw Self.invalidText }
    }

    /// - Returns: Whether there was a last piece.
    private func deliverRest(of splitter: any Splitter, to downstream: Downstream) throws(SystemError) -> Bool {
        guard let piece = try splitter.finish(), outstanding.takeOne() else { return false }
        guard let more = downstream.receivePiece(piece) else { throw Self.invalidText }
        outstanding.add(more)
        return true
    }

    private static var invalidText: SystemError { SystemError(call: "lines", code: EILSEQ, subject: "(not UTF-8)") }

    private enum Arrival {
        case nothing
        case chunk(Bytes)
        case ending(Subscribers.Completion<SystemError>)
    }

    private func takeFromInbox() -> Arrival {
        inbox.withLock { inbox in
            if let chunk = inbox.chunks.popFirst() { return .chunk(chunk) }
            return inbox.ending.map(Arrival.ending) ?? .nothing
        }
    }

    private func requestChunk() {
        let subscription = upstream.withLock { upstream in
            if case .connected(let subscription) = upstream { return Optional(subscription) }
            return nil
        }
        subscription?.request(.max(1))
    }

    private func end(_ completion: Subscribers.Completion<SystemError>) {
        let isWanted = outstanding.close() != nil
        let complete = downstream?.receiveCompletion
        leaveUpstream()?.cancel()
        release()
        if isWanted { complete?(completion) }
    }

    private func release() {
        let old = (downstream.take(), inbox.withLock { exchange(&$0, with: Inbox()) })
        splitter = nil
        withExtendedLifetime(old) {}
    }
}
