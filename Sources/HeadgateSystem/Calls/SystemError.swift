#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A call of the operating system that failed: which one, with what code, and on what.
///
/// ```swift
/// let cancellable = File("/no/such/file").bytes()
///     .sink(receiveCompletion: { print($0) }, receiveValue: { _ in })
/// // failure(open /no/such/file: No such file or directory)
/// ```
///
/// What is wrong with the bytes of a stream, and not with a call, is told in the same way: a line or a frame that is too
/// long has the code `EMSGSIZE`, text that is not UTF-8 has `EILSEQ`, and a frame that is cut off has `EBADMSG`.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the call, such as `open`.
    public let call: String

    /// The code that the call left in `errno`, such as `ENOENT`.
    public let code: Int32

    /// The path or the address that the call was about, where there is one.
    public let subject: String?

    /// Makes an error of its parts.
    public init(call: String, code: Int32, subject: String? = nil) {
        self.call = call
        self.code = code
        self.subject = subject
    }

    /// The system's words for the code, such as "No such file or directory".
    public var reason: String { String(cString: strerror(code)) }

    /// The call, what it was about, and the system's words for the code.
    public var description: String {
        let place = subject.map { "\(call) \($0)" } ?? call
        return "\(place): \(reason)"
    }
}
