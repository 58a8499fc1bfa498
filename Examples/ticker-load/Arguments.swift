import HeadgateSystem

/// The command line.
struct Arguments {
    static let help = """
        usage: ticker-load [OPTION...] (--port PORT | --path PATH)

        Opens many connections to a ticker-server, reads most of them, never reads
        some, and prints the results.

          --host HOST         the address of the server (127.0.0.1)
          --clients NUMBER    how many connections to open (100)
          --silent NUMBER     how many of them never read (0)
          --policy POLICY     the policy that the clients request from the server:
                              oldest, latest or disconnect
          --messages NUMBER   how many messages each reader waits for; without it,
                              until the server says farewell
          --stop PID          then ends the server with SIGTERM, and waits for its
                              farewell
          --help              this text

        Ctrl-C ends it.
        """

    var place = SocketAddress.tcp(host: "127.0.0.1", port: 0)
    var clients = 100
    var silent = 0
    var policy: String?
    var messages: Int?
    var server: Int32?
    var wantsHelp = false

    init(_ arguments: some Sequence<String>) throws(UsageError) {
        var rest = arguments.makeIterator()
        var host = "127.0.0.1"
        var port: Int?
        var path: String?
        func text(after option: String) throws(UsageError) -> String {
            guard let text = rest.next() else { throw UsageError("\(option) needs an argument") }
            return text
        }
        func number(after option: String, from least: Int = 1, to most: Int) throws(UsageError) -> Int {
            guard let number = Int(try text(after: option)), (least...most).contains(number) else {
                throw UsageError("\(option) takes a number from \(least) to \(most)")
            }
            return number
        }
        while let argument = rest.next() {
            switch argument {
            case "--help", "-h": wantsHelp = true
            case "--port": port = try number(after: argument, to: 65_535)
            case "--host": host = try text(after: argument)
            case "--path": path = try text(after: argument)
            case "--clients": clients = try number(after: argument, to: 1_000_000)
            case "--silent": silent = try number(after: argument, from: 0, to: 1_000_000)
            case "--policy": policy = try text(after: argument)
            case "--messages": messages = try number(after: argument, to: 1 << 40)
            case "--stop": server = Int32(try number(after: argument, to: Int(Int32.max)))
            default: throw UsageError("there is no option \(argument)")
            }
        }
        if wantsHelp { return }
        if silent > clients { throw UsageError("at most all clients can be silent") }
        switch (port, path) {
        case (let port?, nil): place = .tcp(host: host, port: port)
        case (nil, let path?): place = .unix(path: path)
        default: throw UsageError("one port or one path is needed")
        }
    }
}

/// A mistake on the command line.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
