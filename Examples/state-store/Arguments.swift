/// The command line.
struct Arguments {
    static let help = """
        usage: state-store [--debounce MILLISECONDS]

        Keeps the state of a service in an actor. Three configurations are combined;
        when they have been quiet for a while, the state is reloaded, and a load that
        is overtaken by the next one is cancelled. It plays a script in virtual time
        and shows what happens.

          --debounce MILLISECONDS   how long configurations have to be quiet (default
                                    50)
          --help                    this text
        """

    var wantsHelp = false
    var debounce = 50

    init(_ arguments: some Sequence<String>) throws(UsageError) {
        var rest = arguments.makeIterator()
        while let argument = rest.next() {
            switch argument {
            case "--help", "-h": wantsHelp = true
            case "--debounce":
                guard let text = rest.next(), let count = Int(text), (1...10_000).contains(count) else {
                    throw UsageError(description: "\(argument) takes a number from 1 to 10000")
                }
                debounce = count
            default: throw UsageError(description: "there is no option \(argument)")
            }
        }
    }
}

/// A mistake on the command line.
struct UsageError: Error, CustomStringConvertible {
    let description: String
}
