import HeadgateRedis

/// The command line.
struct Arguments {
    static let help = """
        usage: fleet [OPTION...]

        Adds entries to a stream of Redis, has a fleet of worker processes work on them while it kills workers, cuts
        connections and kills the server, and counts at the end whether each entry was worked on. Starts a redis-server
        of its own on a Unix socket in a temporary folder, unless it is given the address of one.

          --redis URL       a server to use; its keys that begin with "fleet:" are replaced
          --entries COUNT   the number of entries (100000)
          --workers COUNT   the number of worker processes (4)
          --partitions N    spreads the entries over so many partitions, and counts what is out of the order of a
                            customer over all workers; 0 for one stream (0)
          --kill RATE       how many workers are killed per second (2)
          --cut SECONDS     how often all connections are cut; 0 for never (3)
          --crash COUNT     how often the server of its own is killed and started again (0)
          --failover SECONDS
                            how often the replica of a master becomes the master: by turns the master is killed, and the
                            sentinels are asked for it. Starts a master, a replica and three sentinels on ports of the
                            loopback interface, and adds again what no replica has confirmed; 0 for one server (0)
          --poison COUNT    the number of entries on which work always fails (10)
          --large COUNT     the number of entries of a megabyte (0)
          --seconds COUNT   adds the entries evenly over this time; 0 for as fast as possible (10)
          --help            this text

        The status is 0 if no entry was lost and all poisoned ones are dead letters, 1 if not, 2 for a mistake on the
        command line or if there is no server.
        """

    var redis: String?
    var entries = 100_000
    var workers = 4
    var partitions = 0
    var kills = 2.0
    var cut = 3.0
    var crashes = 0
    var failover = 0.0
    var poison = 10
    var large = 0
    var seconds = 10.0
    var wantsHelp = false

    /// The server on which the work is recorded, if it is another one.
    var ledger: String?

    /// The name of the worker that this process is to be.
    var worker: String?

    init(_ arguments: some Sequence<String>) throws(UsageError) {
        var rest = arguments.makeIterator()
        func text(of option: String) throws(UsageError) -> String {
            guard let text = rest.next() else { throw UsageError("\(option) takes a value") }
            return text
        }
        func value<Number: LosslessStringConvertible & Comparable>(
            of option: String, in range: ClosedRange<Number>
        ) throws(UsageError) -> Number {
            guard let number = rest.next().flatMap(Number.init), range.contains(number) else {
                throw UsageError("\(option) takes a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
        while let argument = rest.next() {
            switch argument {
            case "--help", "-h": wantsHelp = true
            case "--redis": redis = try text(of: argument)
            case "--ledger": ledger = try text(of: argument)
            case "--worker": worker = try text(of: argument)
            case "--entries": entries = try value(of: argument, in: 1...100_000_000)
            case "--partitions": partitions = try value(of: argument, in: 0...65_536)
            case "--workers": workers = try value(of: argument, in: 1...1_000)
            case "--kill": kills = try value(of: argument, in: 0...100)
            case "--cut": cut = try value(of: argument, in: 0...1e6)
            case "--crash": crashes = try value(of: argument, in: 0...1_000)
            case "--failover": failover = try value(of: argument, in: 0...1e6)
            case "--poison": poison = try value(of: argument, in: 0...1_000_000)
            case "--large": large = try value(of: argument, in: 0...1_000_000)
            case "--seconds": seconds = try value(of: argument, in: 0...1e6)
            default: throw UsageError("there is no option \(argument)")
            }
        }
        if crashes > 0, redis != nil { throw UsageError("--crash needs the server of its own: leave out --redis") }
        if failover > 0, redis != nil || crashes > 0 || partitions > 0 {
            throw UsageError(
                "--failover has servers of its own and one stream: leave out --redis, --crash and --partitions")
        }
        if max(poison, large) > entries { throw UsageError("--poison and --large are at most --entries") }
    }
}

/// A mistake on the command line, or of the machine.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
