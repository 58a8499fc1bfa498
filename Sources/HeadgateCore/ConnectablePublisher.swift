/// A publisher that starts publishing only once it is connected, so that several subscribers can be attached first.
public protocol ConnectablePublisher<Output, Failure>: Publisher {
    /// Starts publishing.
    ///
    /// - Returns: Disconnects when cancelled. Store it: releasing it may disconnect too.
    func connect() -> any Cancellable
}
