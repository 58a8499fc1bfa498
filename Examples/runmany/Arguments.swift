import HeadgateSystem

/// The command line.
struct Arguments {
    static let help = """
        usage: runmany [OPTION...] [FILE | -]

        Runs the commands in a file, one per line, with the shell, and prints their
        output, each line after the number of its command. Lists the failed ones at the
        end. Reads the commands from standard input if no file is named.

          --at-once COUNT      the maximum number that run at the same time (4)
          --deadline SECONDS   the maximum time of an attempt (60)
          --retries COUNT      how often to retry a command that has failed (0)
          --back-off SECONDS   the time before the first retry, doubled for each
                               further one (1)
          --grace SECONDS      the time between SIGTERM and SIGKILL (5)
          --help               this text

        Ctrl-C and SIGTERM end the commands, and then this program; a second one does
        not wait for its output. No process is left running. The status is 0 if all
        have succeeded, 1 if some have not, 2 for a mistake on the command line.
        """

    var input = File.standardInput
    var mostAtOnce = 4
    var deadline = 60.0
    var retries = 0
    var backOff = 1.0
    var grace = 5.0
    var wantsHelp = false

    init(_ arguments: some Sequence<String>) throws(UsageError) {
        var rest = arguments.makeIterator()
        var names: [String] = []
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
            case "--at-once": mostAtOnce = try value(of: argument, in: 1...10_000)
            case "--retries": retries = try value(of: argument, in: 0...30)
            case "--deadline": deadline = try value(of: argument, in: 0...1e6)
            case "--back-off": backOff = try value(of: argument, in: 0...1e6)
            case "--grace": grace = try value(of: argument, in: 0...1e6)
            case _ where argument.hasPrefix("-") && argument != "-": throw UsageError("there is no option \(argument)")
            default: names.append(argument)
            }
        }
        if names.count > 1 { throw UsageError("one file at a time") }
        if let name = names.first, name != "-" { input = File(name) }
    }
}

/// A mistake on the command line.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
