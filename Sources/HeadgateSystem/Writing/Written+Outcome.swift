import HeadgateEngine

extension Written {
    /// Waits for the outcome of what `write` begins to write; `nil` if the task is cancelled, which cancels that.
    @usableFromInline static func outcome(
        ofWriting write: @escaping (_ receiveEnd: @escaping @Sendable (Written<Failure>) -> Void) -> any Cancellable
    ) async -> Written<Failure>? {
        let outcome = AwaitedSubscriber<Written<Failure>, Never>(.first(1))
        let conduit = PushConduit<Written<Failure>, Never>(name: "Writing", limit: .max(1), to: outcome) { conduit in
            let writing = write { [weak conduit] result in conduit?.push(result) }
            return { writing.cancel() }
        }
        conduit.send(to: AnySubscriber(outcome))
        return await outcome.values().first
    }
}
