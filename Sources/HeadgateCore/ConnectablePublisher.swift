/// A publisher that waits to be told before it begins, so that several subscribers can be attached first.
public protocol ConnectablePublisher<Output, Failure>: Publisher {
    /// Begins.
    ///
    /// - Returns: What ends it again. Keep it: letting go of it may end the stream.
    func connect() -> any Cancellable
}
