import HeadgateCore
import HeadgateEngine
import Synchronization

/// Serves one subscriber with the pieces of upstream's chunks, and asks for a chunk only when the last one is used up.
///
/// Not generic, so that a piece takes two calls and no look-up of types: what its subscriber and its failures are is known
/// to two closures.
// `inbox` and `upstream` are locked; the rest belongs to whoever raised `work` from zero.
final class SplittingConduit: Subscription, CustomStringConvertible, @unchecked Sendable {
    /// How to tell downstream.
    struct Downstream {
        let receive: (Bytes) throws(SystemError) -> Subscribers.Demand
        let complete: (Subscribers.Completion<SystemError>) -> Void
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

    let description: String

    private let outstanding = OutstandingDemand()
    private let inbox = Guarded(Inbox())
    private let upstream = Guarded(Upstream.awaited)
    private let work = Atomic(0)

    private var splitter: (any Splitter)?
    private var downstream: Downstream?
    private var isAsking = false

    init(name: String, splitter: any Splitter, downstream: Downstream) {
        description = name
        self.splitter = splitter
        self.downstream = downstream
    }

    // MARK: Downstream speaks

    func request(_ demand: Subscribers.Demand) {
        if outstanding.add(demand) != nil { drain() }
    }

    func cancel() {
        guard outstanding.close() != nil else { return }
        leaveUpstream()?.cancel()
        drain()
    }

    // MARK: Upstream speaks

    /// - Returns: Whether this is the first subscription; others are cancelled.
    func connect(_ subscription: any Subscription) -> Bool {
        let isFirst = upstream.withLock { upstream in
            guard case .awaited = upstream else { return false }
            upstream = .connected(subscription)
            return true
        }
        if !isFirst { subscription.cancel() }
        return isFirst
    }

    func take(_ chunk: Bytes) {
        inbox.withLock { $0.chunks.append(chunk) }
        drain()
    }

    func complete(_ ending: Subscribers.Completion<SystemError>) {
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

    /// Serves, unless somebody is at it, who then looks once more.
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
                    isAsking = false
                    splitter.take(chunk)
                case .ending(.failure(let error)):
                    throw error
                case .ending(.finished):
                    if isWanted, try deliverRest(of: splitter, to: downstream) { continue }
                    if splitter.isEmpty { return end(.finished) }
                    return
                case .nothing:
                    if !isWanted || isAsking { return }
                    isAsking = true
                    askUpstream()
                }
            }
        } catch {
            return end(.failure(error))
        }
        release()
    }

    /// Delivers pieces of the present chunk, as many as are asked for.
    private func deliverPieces(of splitter: any Splitter, to downstream: Downstream) throws(SystemError) {
        while outstanding.current > .none, let piece = try splitter.next(), outstanding.takeOne() {
            let more = try downstream.receive(piece)
            if more > .none { outstanding.add(more) }
        }
    }

    /// - Returns: Whether there was a last piece.
    private func deliverRest(of splitter: any Splitter, to downstream: Downstream) throws(SystemError) -> Bool {
        guard let piece = try splitter.finish(), outstanding.takeOne() else { return false }
        outstanding.add(try downstream.receive(piece))
        return true
    }

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

    private func askUpstream() {
        let subscription = upstream.withLock { upstream in
            if case .connected(let subscription) = upstream { return Optional(subscription) }
            return nil
        }
        subscription?.request(.max(1))
    }

    private func end(_ completion: Subscribers.Completion<SystemError>) {
        let isWanted = outstanding.close() != nil
        let complete = downstream?.complete
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
