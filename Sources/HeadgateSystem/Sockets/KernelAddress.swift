import CHeadgateSystem
import HeadgateLibC

/// The address of a socket in the kernel's form.
package struct KernelAddress {
    private var storage = sockaddr_storage()
    private(set) var length = socklen_t(MemoryLayout<sockaddr_storage>.size)

    /// Creates room for an address that the kernel fills in.
    init() {}

    /// Copies an address returned by a look-up.
    init(_ address: UnsafePointer<sockaddr>, length: socklen_t) {
        self.length = length
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: min(Int(length), $0.count)))
        }
    }

    /// Creates the address of a Unix socket.
    ///
    /// - Throws: `ENAMETOOLONG` if the path is longer than the kernel's field of some hundred bytes; `EINVAL` if it is
    ///   empty or has a NUL in it.
    init(path: String) throws(SystemError) {
        let bytes = path.systemNameBytes
        if bytes.isEmpty || bytes.contains(0) { throw SystemError(call: "bind", code: EINVAL, subject: path) }
        // One byte is for the NUL at the end.
        if bytes.count >= MemoryLayout<sockaddr_un>.size - Self.pathOffset {
            throw SystemError(call: "bind", code: ENAMETOOLONG, subject: path)
        }
        storage.ss_family = sa_family_t(AF_UNIX)
        length = socklen_t(MemoryLayout<sockaddr_un>.size)
        withUnsafeMutableBytes(of: &storage) {
            UnsafeMutableRawBufferPointer(rebasing: $0[Self.pathOffset...]).copyBytes(from: bytes)
        }
    }

    private static let pathOffset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0

    /// The protocol family: `AF_INET`, `AF_INET6` or `AF_UNIX`.
    var family: Int32 { Int32(storage.ss_family) }

    /// Passes the address to a call.
    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    /// Lets a call fill in the address.
    mutating func fill<Result>(
        _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Result
    ) -> Result {
        length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &length) }
        }
    }

    /// The address in readable form.
    var address: SocketAddress {
        if family == AF_UNIX { return .unix(path: path) }
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: 16)
        let result = withPointer { pointer, length in
            getnameinfo(
                pointer, length, &host, socklen_t(host.count), &port, socklen_t(port.count),
                NI_NUMERICHOST | NI_NUMERICSERV)
        }
        if result != 0 { return .unix(path: "") }
        func text(_ characters: [CChar]) -> String {
            String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        return .tcp(host: text(host), port: Int(text(port)) ?? 0)
    }

    private var path: String {
        let end = min(Int(length), MemoryLayout<sockaddr_un>.size)
        if end <= Self.pathOffset { return "" }
        return withUnsafeBytes(of: storage) { bytes in
            String(systemName: bytes[Self.pathOffset..<end].prefix { $0 != 0 })
        }
    }
}

extension SystemCalls {
    /// Looks up the addresses of a host, which may take as long as the network does.
    ///
    /// - Parameter isPassive: Whether the addresses are for listening.
    func resolve(_ address: SocketAddress, isPassive: Bool = false) throws(SystemError) -> [KernelAddress] {
        let host: String
        let port: Int
        switch address {
        case .unix(let path): return [try KernelAddress(path: path)]
        case .tcp(let name, let number): (host, port) = (name, number)
        }
        try checkText(host, in: "getaddrinfo")
        var hints = addrinfo()
        hints.ai_socktype = headgate_stream
        hints.ai_flags = AI_NUMERICSERV | (isPassive ? AI_PASSIVE : 0)
        var list: UnsafeMutablePointer<addrinfo>?
        var problem: Int32 = 0
        do {
            _ = try perform("getaddrinfo", on: address.description) { _ in
                problem = getaddrinfo(host, String(port), &hints, &list)
                if problem == 0 { return 0 }
                if problem != EAI_SYSTEM { errno = Self.code(ofProblem: problem) }
                return -1
            }
        } catch {
            if problem == 0 || problem == EAI_SYSTEM { throw error }
            throw SystemError(
                call: error.call, code: error.code, subject: "\(address)",
                explanation: String(cString: gai_strerror(problem)))
        }
        defer { freeaddrinfo(list) }
        var found: [KernelAddress] = []
        var place = list
        while let entry = place?.pointee {
            if let address = entry.ai_addr { found.append(KernelAddress(address, length: entry.ai_addrlen)) }
            place = entry.ai_next
        }
        return found
    }

    /// The closest code of `errno`.
    private static func code(ofProblem problem: Int32) -> Int32 {
        switch problem {
        case EAI_AGAIN: EAGAIN
        case EAI_MEMORY: ENOMEM
        default: EHOSTUNREACH
        }
    }
}
