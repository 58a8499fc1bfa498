import HeadgateLibC

/// Access to the operating system: every call goes through here, so that a test can intercept it.
///
/// A call that a signal interrupted (`EINTR`) is repeated; every other failure is thrown. A wrapper for another call is
/// another method in an extension.
package struct SystemCalls: Sendable {
    /// What a test does with a call.
    package enum Verdict: Sendable, Equatable {
        /// The call is made.
        case proceed
        /// The call is not made and fails with a code.
        case fail(Int32)
        /// The call is made with at most this many bytes.
        case limit(Int)
    }

    /// The calls without interception.
    package static let live = SystemCalls()

    private let intercept: (@Sendable (String) -> Verdict)?

    private init() { intercept = nil }

    /// Creates access that lets a test decide about each call first, by name.
    package init(intercept: @escaping @Sendable (String) -> Verdict) {
        self.intercept = intercept
    }

    /// Makes a call, and repeats it while signals interrupt it.
    ///
    /// - Parameters:
    ///   - name: The name of the call.
    ///   - subject: The path or address, for the error.
    ///   - bytes: The number of bytes to read or write, for a call that does.
    ///   - body: Makes the call with that many bytes; returns a negative number and sets `errno` if it fails.
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

    /// Makes a call that fails with -1, and has no number of bytes.
    @discardableResult func call(
        _ name: String, on subject: @autoclosure () -> String? = nil, _ body: () -> Int32
    ) throws(SystemError) -> Int32 {
        Int32(try perform(name, on: subject()) { _ in Int(body()) })
    }

    /// Makes a call on a descriptor.
    @discardableResult func call(
        _ name: String, on descriptor: Descriptor, _ body: (Int32) -> Int32
    ) throws(SystemError) -> Int32 {
        try call(name, on: descriptor.path) { body(descriptor.number) }
    }

    /// Makes a call on a path.
    @discardableResult func call(
        _ name: String, onPath path: String, _ body: (UnsafePointer<CChar>) -> Int32
    ) throws(SystemError) -> Int32 {
        try checkText(path, in: name)
        return try call(name, on: path) { path.withSystemName(body) }
    }

    /// The same for a call that may have nothing to do yet: `nil` if it would block.
    func performOrNil(
        _ name: String, on subject: @autoclosure () -> String?, bytes: Int = 0, _ body: (Int) -> Int
    ) throws(SystemError) -> Int? {
        do {
            return try perform(name, on: subject(), bytes: bytes, body)
        } catch  where error.code == EAGAIN || error.code == EWOULDBLOCK {
            return nil
        }
    }

    /// The result in the kernel's form: a failure is the negated code.
    private static func kernelResult(_ result: Int) -> Int { result < 0 ? -Int(errno) : result }
}
