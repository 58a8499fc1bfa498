import HeadgateSystem

/// The command line.
struct Arguments {
    static let help = """
        usage: shelf [OPTION...] FOLDER

        Keeps files for clients over HTTP/1.1: PUT /NAME stores one in the folder, GET
        /NAME returns it, HEAD /NAME tells its length, and DELETE /NAME removes it.
        Each request is a line on standard error.

          --port PORT      the port to listen on; with 0 (the default) the system
                           chooses one
          --host HOST      the address to listen on (127.0.0.1)
          --path PATH      a Unix socket instead
          --limit BYTES    how large a file may be (1073741824)
          --grace SECONDS  how long requests may take to end after SIGTERM (5)
          --help           this text

        SIGTERM and Ctrl-C end it when the requests in progress are answered.
        """

    var place = SocketAddress.tcp(host: "127.0.0.1", port: 0)
    var folder = ""
    var limit = 1 << 30
    var grace = 5
    var wantsHelp = false

    init(_ arguments: some Sequence<String>) throws(UsageError) {
        var rest = arguments.makeIterator()
        var host = "127.0.0.1"
        var port = 0
        var path: String?
        func text(after option: String) throws(UsageError) -> String {
            guard let text = rest.next() else { throw UsageError("\(option) needs an argument") }
            return text
        }
        func number(after option: String, to most: Int) throws(UsageError) -> Int {
            guard let number = Int(try text(after: option)), (0...most).contains(number) else {
                throw UsageError("\(option) takes a number from 0 to \(most)")
            }
            return number
        }
        while let argument = rest.next() {
            switch argument {
            case "--help", "-h": wantsHelp = true
            case "--port": port = try number(after: argument, to: 65_535)
            case "--host": host = try text(after: argument)
            case "--path": path = try text(after: argument)
            case "--limit": limit = try number(after: argument, to: .max)
            case "--grace": grace = try number(after: argument, to: 1_000_000)
            case _ where argument.hasPrefix("-"): throw UsageError("there is no option \(argument)")
            case _ where folder.isEmpty: folder = argument
            default: throw UsageError("one folder is needed")
            }
        }
        if folder.isEmpty, !wantsHelp { throw UsageError("one folder is needed") }
        place = path.map(SocketAddress.unix) ?? .tcp(host: host, port: port)
    }
}

/// A mistake on the command line.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
