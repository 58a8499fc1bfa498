import HeadgateLibC

/// A call of the operating system that failed: which one, with what code, and on what.
///
/// ```swift
/// let cancellable = File("/no/such/file").bytes()
///     .sink(receiveCompletion: { print($0) }, receiveValue: { _ in })
/// // failure(open /no/such/file: No such file or directory)
/// ```
///
/// Malformed data is reported in the same way: a line or a frame that is too long has the code `EMSGSIZE`, text that is
/// not UTF-8 has `EILSEQ`, and a truncated frame has `EBADMSG`.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the call, such as `open`.
    public let call: String

    /// The code that the call left in `errno`, such as `ENOENT`.
    public let code: Int32

    /// The path or the address of the call, if there is one.
    public let subject: String?

    private let explanation: String?

    /// Creates an error from its parts.
    public init(call: String, code: Int32, subject: String? = nil) {
        self.init(call: call, code: code, subject: subject, explanation: nil)
    }

    /// Creates an error that the system explains in other words than those for its code.
    init(call: String, code: Int32, subject: String?, explanation: String?) {
        self.call = call
        self.code = code
        self.subject = subject
        self.explanation = explanation
    }

    /// The system's description of what went wrong, such as "No such file or directory".
    public var reason: String { explanation ?? String(cString: strerror(code)) }

    /// The call, its subject, and the system's description of the code.
    public var description: String {
        let place = subject.map { "\(call) \($0)" } ?? call
        return "\(place): \(reason)"
    }
}
