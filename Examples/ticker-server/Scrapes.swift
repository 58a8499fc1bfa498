import HeadgateSystem

/// Answers scrapes of Prometheus.
enum Scrapes {
    /// Answers until it is cancelled.
    static func answer(on listener: Listener, _ flow: Flow) -> AnyCancellable {
        listener.sink(
            receiveCompletion: { completion in
                if case .failure(let error) = completion { TickerServer.complain("metrics: \(error)") }
            },
            receiveValue: { connection in
                connection.lines(maximumLength: 1 << 13, longLines: .cut)
                    // Whatever is requested: the lines of a request end with an empty one.
                    .prefix { !$0.isEmpty }
                    .ignoreOutput(setOutputType: Bytes.self)
                    .catch { _ in Empty<Bytes, Never>() }
                    .append(Deferred { Just(response(flow.prometheus())) })
                    .write(to: connection) { _ in }
            })
    }

    private static func response(_ text: String) -> Bytes {
        let head = """
            HTTP/1.1 200 OK\r
            Content-Type: text/plain; version=0.0.4; charset=utf-8\r
            Content-Length: \(text.utf8.count)\r
            Connection: close\r
            \r

            """
        return Bytes(head + text)
    }
}
