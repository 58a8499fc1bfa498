/// The command line.
struct Arguments {
    static let help = """
        usage: etl [--writers COUNT] [--bad-lines COUNT] [--pause MS] [--flow]
                   [--quiet]

        Reads orders from standard input, one JSON object per line, such as {"id": 1,
        "customer": "ada", "cents": 250}, and writes them in batches of 500, or of
        those received within 100 ms. Several batches are written at a time, and
        reported in order. Orders are read only as fast as they can be written. After
        the given number of bad lines it stops, when all orders read before have been
        written and reported.

          --writers COUNT     how many batches are written at a time (default 8)
          --bad-lines COUNT   the number of bad lines after which to stop (default 100)
          --pause MS          how long it takes at least to write a batch (default 0)
          --flow              shows on standard error what each stage does with its
                              time, and which one limits the others: on a terminal
                              while it runs and in place of the batches, otherwise at
                              the end
          --quiet             reports only the sum, no batches
          --help              this text
        """

    var wantsHelp = false
    var isQuiet = false
    var writers = 8
    var badLines = 100
    var pause = 0
    var showsFlow = false

    init(_ arguments: some Sequence<String>) throws(UsageError) {
        var rest = arguments.makeIterator()
        while let argument = rest.next() {
            switch argument {
            case "--help", "-h": wantsHelp = true
            case "--quiet": isQuiet = true
            case "--flow": showsFlow = true
            case "--pause": pause = try Self.count(rest.next(), for: argument)
            case "--writers": writers = try Self.count(rest.next(), for: argument)
            case "--bad-lines": badLines = try Self.count(rest.next(), for: argument)
            default: throw UsageError(description: "there is no option \(argument)")
            }
        }
    }

    private static func count(_ text: String?, for option: String) throws(UsageError) -> Int {
        guard let text, let count = Int(text), (1...1_000_000).contains(count) else {
            throw UsageError(description: "\(option) takes a number from 1 to 1000000")
        }
        return count
    }
}

/// A mistake on the command line.
struct UsageError: Error, CustomStringConvertible {
    let description: String
}
