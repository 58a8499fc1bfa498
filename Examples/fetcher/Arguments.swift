/// The command line.
struct Arguments {
    static let help = """
        usage: fetcher [--virtual] [--requests COUNT] [--seed NUMBER] [--quiet]

        Fetches pages from a simulated service that is slow, sometimes fails, and is
        down for a while: with retries, time limits, a circuit breaker and a rate
        limit. Prints a table of the results at the end, and before it what happens; on
        a terminal, retries and pages that are received are drawn over.

          --virtual         runs in virtual time: immediately, and with the same result
                            every time
          --requests COUNT  the number of pages to fetch (default 40)
          --seed NUMBER     the seed of the random numbers (default 1)
          --quiet           prints only the table
          --help            this text
        """

    var isVirtual = false
    var wantsHelp = false
    var isQuiet = false
    var requests = 40
    var seed: UInt64 = 1

    init(_ arguments: some Sequence<String>) throws(UsageError) {
        var rest = arguments.makeIterator()
        while let argument = rest.next() {
            switch argument {
            case "--help", "-h": wantsHelp = true
            case "--virtual": isVirtual = true
            case "--quiet": isQuiet = true
            case "--requests": requests = try Self.number(rest.next(), for: argument, in: 1...100_000)
            case "--seed": seed = UInt64(try Self.number(rest.next(), for: argument, in: 0...Int.max))
            default: throw UsageError(description: "there is no option \(argument)")
            }
        }
    }

    private static func number(
        _ text: String?, for option: String, in range: ClosedRange<Int>
    ) throws(UsageError) -> Int {
        guard let text, let number = Int(text), range.contains(number) else {
            throw UsageError(description: "\(option) takes a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}

/// A mistake on the command line.
struct UsageError: Error, CustomStringConvertible {
    let description: String
}
