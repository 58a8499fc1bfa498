import Foundation
import HeadgateSystem

/// The command line.
struct Arguments {
    static let help = """
        usage: logstat [--window SIZE] [--flow] [FILE | -]

        Reads a web server's log (Common Log Format) line by line, as fast as it is
        consumed and no faster, and prints a summary. Reads the sample that comes with
        it if no file is named, and standard input if the name is `-`.

          --window SIZE   what one bar of the histogram stands for: a number of
                          requests (200), or a number of seconds of the log's time
                          followed by an `s` (60s). Default: 200. If there are more
                          than 24 bars, each stands for 2, 4, 8 … times as much, as the
                          heading says
          --flow          shows on standard error what each stage does with its time,
                          and which one limits the others: on a terminal while it
                          reads, otherwise at the end
          --help          this text

        Ctrl-C stops reading; the summary covers what has been read.
        """

    enum Input: Equatable {
        case sample
        case standardInput
        case file(String)

        /// Where to read.
        var file: File {
            switch self {
            case .standardInput: .standardInput
            case .file(let path): File(path)
            case .sample: File(Bundle.module.path(forResource: "sample", ofType: "log") ?? "sample.log")
            }
        }

        /// The length in bytes, if it is known.
        var length: Int? {
            var status = stat()
            let result = self == .standardInput ? fstat(0, &status) : stat(file.description, &status)
            return result == 0 && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
        }
    }

    var input = Input.sample
    var window = WindowSize.requests(200)
    var showsFlow = false
    var wantsHelp = false

    init(_ arguments: some Sequence<String>) throws(UsageError) {
        var rest = arguments.makeIterator()
        while let argument = rest.next() {
            switch argument {
            case "--help", "-h":
                wantsHelp = true
            case "--flow":
                showsFlow = true
            case "--window":
                guard let text = rest.next(), let size = WindowSize(text) else {
                    throw UsageError("--window takes a number of requests, or a number of seconds followed by an `s`")
                }
                window = size
            case "-":
                if input != .sample { throw UsageError("one file at a time") }
                input = .standardInput
            case _ where argument.hasPrefix("-"):
                throw UsageError("there is no option \(argument)")
            default:
                if input != .sample { throw UsageError("one file at a time") }
                input = .file(argument)
            }
        }
    }
}

/// A mistake on the command line.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
