/// The command line.
struct Arguments {
    static let help = """
        usage: playhead [--virtual] [--rate RATE] [--interval SECONDS]
                        [--duration SECONDS]

        Plays simulated media, seeks and pauses, and shows the progress that
        `playheadProgressPublisher` publishes.

          --virtual            runs in virtual time, without waiting
          --rate RATE          how fast to play (default 2)
          --interval SECONDS   media time between two reports (default 0.5)
          --duration SECONDS   length of the media (default 6)
          --help               this text
        """

    var isVirtual = false
    var wantsHelp = false
    var rate = 2.0
    var interval = 0.5
    var duration = 6.0

    init(_ arguments: some Sequence<String>) throws(UsageError) {
        var rest = arguments.makeIterator()
        while let argument = rest.next() {
            switch argument {
            case "--help", "-h": wantsHelp = true
            case "--virtual": isVirtual = true
            case "--rate": rate = try Self.number(rest.next(), for: argument)
            case "--interval": interval = try Self.number(rest.next(), for: argument)
            case "--duration": duration = try Self.number(rest.next(), for: argument)
            default: throw UsageError(description: "there is no option \(argument)")
            }
        }
    }

    private static func number(_ text: String?, for option: String) throws(UsageError) -> Double {
        guard let text, let number = Double(text), (0.001...1_000_000).contains(number) else {
            throw UsageError(description: "\(option) takes a number from 0.001 to 1000000")
        }
        return number
    }
}

/// A mistake on the command line.
struct UsageError: Error, CustomStringConvertible {
    let description: String
}
