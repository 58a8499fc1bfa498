public import Foundation
import HeadgateCombine
import HeadgateCore
import HeadgateEngine
import Synchronization

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension URLSession {
    /// A publisher of what comes back from a URL.
    ///
    /// ```
    /// self      ------r|
    /// ```
    ///
    /// ```swift no-run
    /// let subscription = URLSession.shared.dataTaskPublisher(for: url)
    ///     .map(\.data.count)
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // 1024
    /// // finished
    /// ```
    ///
    /// Every subscriber makes a request of its own, at its first demand. `cancel()`, and letting go of the subscription,
    /// cancel the request.
    ///
    /// - **Demand**: nothing is loaded before the first demand; there is one value.
    /// - **Completion**: finishes right behind the value. Fails with what went wrong; an answer such as "404 not found"
    ///   is an answer, and nothing has gone wrong.
    /// - **Complexity**: one data task.
    public func dataTaskPublisher(for url: URL) -> DataTaskPublisher {
        dataTaskPublisher(for: URLRequest(url: url))
    }

    /// A publisher of what comes back for a request.
    ///
    /// ```
    /// self      ------r|
    /// ```
    ///
    /// ```swift no-run
    /// var request = URLRequest(url: url)
    /// request.httpMethod = "HEAD"
    /// let subscription = URLSession.shared.dataTaskPublisher(for: request)
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0.response.expectedContentLength) })
    /// // 1024
    /// // finished
    /// ```
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `dataTaskPublisher(for:)` for a URL.
    public func dataTaskPublisher(for request: URLRequest) -> DataTaskPublisher {
        DataTaskPublisher(request: request, session: self)
    }

    /// A publisher of what comes back for a request.
    public struct DataTaskPublisher: Publisher, Sendable {
        /// The body of the answer, and what is known about it.
        public typealias Output = (data: Data, response: URLResponse)

        /// What goes wrong on the way.
        public typealias Failure = URLError

        /// What is asked for.
        public let request: URLRequest

        /// The session that asks.
        public let session: URLSession

        /// Makes the publisher that `dataTaskPublisher(for:)` returns.
        public init(request: URLRequest, session: URLSession) {
            self.request = request
            self.session = session
        }

        /// Connects a subscriber to a data task of its own.
        public func receive(subscriber: some Subscriber<Output, Failure>) {
            subscriber.receive(
                subscription: PushConduit<Output, URLError>(name: "DataTaskPublisher", limit: .max(1), to: subscriber) {
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
                })
        }
    }
}

/// Whether a task has answered, so that there is nothing left to cancel.
private final class Flag: Sendable {
    private let isUp = Atomic(false)

    var isRaised: Bool { isUp.load(ordering: .acquiring) }

    func raise() { isUp.store(true, ordering: .releasing) }
}

extension URLError {
    /// The error that a session gave, with its code and its user info.
    init(of error: any Error) {
        let error = error as NSError
        if error.domain == NSURLErrorDomain {
            // Made of the error itself, for there are codes that `URLError.Code` does not know.
            self.init(_nsError: error)
        } else {
            self.init(.unknown, userInfo: error.userInfo)
        }
    }
}
