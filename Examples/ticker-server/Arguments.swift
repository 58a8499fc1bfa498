import HeadgateSystem

/// The command line.
struct Arguments {
    static let help = """
        usage: ticker-server [OPTION...]

        Sends numbered prices to every client, as fast as each of them reads and no
        faster. A client may send a line with the word `oldest`, `latest` or
        `disconnect`: the policy for messages for which it has no room.

          --port PORT         the port to listen on; with 0 (the default) the system
                              chooses one
          --host HOST         the address to listen on (127.0.0.1)
          --path PATH         a Unix socket instead
          --rate NUMBER       messages per second (10000)
          --batch MS          the milliseconds of messages that are sent together (10)
          --buffer NUMBER     how many batches are kept for a slow client (32)
          --policy POLICY     what happens to more, for clients that send no policy:
                              the oldest are dropped (oldest, the default), all but the
                              latest are (latest), or the client is disconnected
                              (disconnect)
          --grace SECONDS     how long clients may take to read the farewell (5)
          --metrics PORT      the port on which Prometheus may scrape what clients
                              receive, at this host
          --help              this text

        On a terminal, a line shows once a second how many clients there are and what
        they are sent. SIGUSR1 prints what has been sent and dropped. SIGTERM and
        Ctrl-C end it after a farewell to every client.
        """

    var place = SocketAddress.tcp(host: "127.0.0.1", port: 0)
    var rate = 10_000
    var batch = 10
    var buffer = 32
    var policy = Policy.oldest
    var grace = 5
    var metricsPort: Int?
    /// Where to listen for scrapes.
    var host = "127.0.0.1"
    var wantsHelp = false

    init(_ arguments: some Sequence<String>) throws(UsageError) {
        var rest = arguments.makeIterator()
        var port = 0
        var path: String?
        func text(after option: String) throws(UsageError) -> String {
            guard let text = rest.next() else { throw UsageError("\(option) needs an argument") }
            return text
        }
        func number(after option: String, from least: Int = 1, to most: Int = .max) throws(UsageError) -> Int {
            guard let number = Int(try text(after: option)), (least...most).contains(number) else {
                throw UsageError("\(option) takes a number from \(least)\(most == .max ? "" : " to \(most)")")
            }
            return number
        }
        while let argument = rest.next() {
            switch argument {
            case "--help", "-h": wantsHelp = true
            case "--port": port = try number(after: argument, from: 0, to: 65_535)
            case "--host": host = try text(after: argument)
            case "--metrics": metricsPort = try number(after: argument, from: 0, to: 65_535)
            case "--path": path = try text(after: argument)
            case "--rate": rate = try number(after: argument, to: 10_000_000)
            case "--batch": batch = try number(after: argument, to: 10_000)
            case "--buffer": buffer = try number(after: argument, to: 1_000_000)
            case "--grace": grace = try number(after: argument, from: 0, to: 1_000_000)
            case "--policy":
                guard let policy = Policy(rawValue: try text(after: argument)) else {
                    throw UsageError("--policy takes oldest, latest or disconnect")
                }
                self.policy = policy
            default: throw UsageError("there is no option \(argument)")
            }
        }
        place = path.map(SocketAddress.unix) ?? .tcp(host: host, port: port)
    }
}

/// A mistake on the command line.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
