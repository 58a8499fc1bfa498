/// The command line.
struct Arguments {
    static let help = """
        usage: tailgrep [OPTION...] PATTERN FILE

        Prints the lines of a file that match a regular expression, and those appended
        to it, even after the file has been replaced by a new one. Regularly prints the
        number of matches.

          --from-beginning   also prints what is in the file already; otherwise begins
                             at its end
          --window SECONDS   how often to print the number of matches (60)
          --count            prints only the numbers
          --max COUNT        stops after this many matches
          --state FILE       goes on where the last run with this file ended; prints no
                             numbers
          --help             this text

        Ctrl-C ends it.
        """

    var pattern = ""
    var path = ""
    var startsAtBeginning = false
    var window = 60
    var printsOnlyNumbers = false
    var most = Int.max
    var state: String?
    var wantsHelp = false

    init(_ arguments: some Sequence<String>) throws(UsageError) {
        var rest = arguments.makeIterator()
        var names: [String] = []
        func number(after option: String) throws(UsageError) -> Int {
            guard let text = rest.next(), let number = Int(text), number > 0 else {
                throw UsageError("\(option) takes a number greater than zero")
            }
            return number
        }
        while let argument = rest.next() {
            switch argument {
            case "--help", "-h": wantsHelp = true
            case "--from-beginning": startsAtBeginning = true
            case "--count": printsOnlyNumbers = true
            case "--window": window = try number(after: argument)
            case "--max": most = try number(after: argument)
            case "--state":
                state = rest.next()
                if state == nil { throw UsageError("--state takes a file") }
            case _ where argument.hasPrefix("-"): throw UsageError("there is no option \(argument)")
            default: names.append(argument)
            }
        }
        if wantsHelp { return }
        if names.count != 2 { throw UsageError("one pattern and one file are needed") }
        (pattern, path) = (names[0], names[1])
    }
}

/// A mistake on the command line.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
