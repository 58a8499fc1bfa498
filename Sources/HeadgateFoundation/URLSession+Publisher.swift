public import Foundation
import HeadgateEngine
import Synchronization

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension URLSession {
    /// A publisher of the response of a URL.
    ///
    /// ```
    /// self      ------r|
    /// ```
    ///
    /// ```swift no-run
    /// import FoundationNetworking
    /// import HeadgateFoundation
    ///
    /// let subscription = URLSession.shared.dataTaskPublisher(for: url)
    ///     .map(\.data.count)
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // 1024
    /// // finished
    /// ```
    ///
    /// Each subscriber makes its own request, at its first demand. `cancel()`, and releasing the subscription, cancel
    /// the request.
    ///
    /// - **Demand**: nothing is loaded before the first demand; there is one value.
    /// - **Completion**: finishes right after the value. Fails with the session's error; a response such as "404 not
    ///   found" is a value, not an error.
    /// - **Threads**: the value is delivered on the queue on which the session calls back.
    /// - **Complexity**: one data task.
    public func dataTaskPublisher(for url: URL) -> DataTaskPublisher {
        dataTaskPublisher(for: URLRequest(url: url))
    }

    /// A publisher of the response to a request.
    ///
    /// ```
    /// self      ------r|
    /// ```
    ///
    /// ```swift no-run
    /// import Foundation
    /// import FoundationNetworking
    /// import HeadgateFoundation
    ///
    /// var request = URLRequest(url: url)
    /// request.httpMethod = "HEAD"
    /// let subscription = URLSession.shared.dataTaskPublisher(for: request)
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0.response.expectedContentLength) })
    /// // 1024
    /// // finished
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `dataTaskPublisher(for:)` for a URL.
    public func dataTaskPublisher(for request: URLRequest) -> DataTaskPublisher {
        DataTaskPublisher(request: request, session: self)
    }

    /// A publisher of the response to a request.
    public struct DataTaskPublisher: Publisher, Sendable {
        /// The body of the response, and its metadata.
        public typealias Output = (data: Data, response: URLResponse)

        /// The type of error that the stream may fail with.
        public typealias Failure = URLError

        /// The request.
        public let request: URLRequest

        /// The session that sends it.
        public let session: URLSession

        /// Creates the publisher that `dataTaskPublisher(for:)` returns.
        public init(request: URLRequest, session: URLSession) {
            self.request = request
            self.session = session
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            serve(AnySubscriber(subscriber))
        }

        @usableFromInline func serve(_ subscriber: AnySubscriber<Output, Failure>) {
            let conduit = PushConduit<Output, URLError>(name: "DataTaskPublisher", limit: .max(1), to: subscriber) {
                conduit in
                let isAnswered = Flag()
                let task = session.dataTask(with: request) { [weak conduit] data, response, error in
                    isAnswered.raise()
                    if let error {
                        conduit?.finish(.failure(URLError(of: error)))
                    } else if let response {
                        conduit?.push((data ?? Data(), response))
                    } else {
                        conduit?.finish(.failure(URLError(.unknown)))
                    }
                }
                task.resume()
                return { if !isAnswered.isRaised { task.cancel() } }
            }
            conduit.send(to: subscriber)
        }
    }
}

/// Whether a task has completed, so that there is nothing to cancel.
private final class Flag: Sendable {
    private let isUp = Atomic(false)

    // Relaxed: to cancel a task that has just completed does nothing.
    var isRaised: Bool { isUp.load(ordering: .relaxed) }

    func raise() { isUp.store(true, ordering: .relaxed) }
}

extension URLError {
    /// The error of a session, with its code and its user info.
    init(of error: any Error) {
        let error = error as NSError
        if error.domain == NSURLErrorDomain {
            // Created from the error itself, because `URLError.Code` does not know all codes.
            self.init(_nsError: error)
        } else {
            self.init(.unknown, userInfo: error.userInfo)
        }
    }
}
