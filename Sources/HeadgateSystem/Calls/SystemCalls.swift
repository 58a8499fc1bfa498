#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The way to the operating system: every call goes through here, so that a test can stand in between.
///
/// A call that a signal interrupted (`EINTR`) is made again; every other failure is thrown. A wrapper for one more call is
/// one more method in an extension.
package struct SystemCalls: Sendable {
    /// What a test makes of a call.
    package enum Verdict: Sendable, Equatable {
        /// The call is made.
        case proceed
        /// The call is not made and fails with a code.
        case fail(Int32)
        /// The call is made with this many bytes at most.
        case limit(Int)
    }

    /// The calls as they are.
    package static let live = SystemCalls()

    private let intercept: (@Sendable (String) -> Verdict)?

    private init() { intercept = nil }

    /// Makes a way to the system on which a test looks at each call first, by name.
    package init(intercept: @escaping @Sendable (String) -> Verdict) {
        self.intercept = intercept
    }

    /// Makes a call, again and again while signals interrupt it.
    ///
    /// - Parameters:
    ///   - name: The name of the call.
    ///   - subject: The path or address, for the error.
    ///   - bytes: How many bytes the call is about, where it is about bytes.
    ///   - body: Makes the call with that many bytes; answers a negative number and sets `errno` where it fails.
    package func perform(
        _ name: String, on subject: @autoclosure () -> String? = nil, bytes: Int = 0, _ body: (Int) -> Int
    ) throws(SystemError) -> Int {
        while true {
            let result =
                switch intercept?(name) ?? .proceed {
                case .proceed: Self.kernelResult(body(bytes))
                case .limit(let limit): Self.kernelResult(body(min(bytes, limit)))
                case .fail(let code): -Int(code)
                }
            if result >= 0 { return result }
            if result != -Int(EINTR) { throw SystemError(call: name, code: Int32(-result), subject: subject()) }
        }
    }

    /// What a test makes of a call that must not be made twice, such as `close`.
    package func verdict(on name: String) -> Verdict { intercept?(name) ?? .proceed }

    /// The result as the kernel tells it: a failure is the negative code.
    package static func kernelResult(_ result: Int) -> Int { result < 0 ? -Int(errno) : result }
}
