import CHeadgateSystem
import HeadgateLibC

/// A socket that clients can connect to; removes its file, if it has one, when it is released.
final class ListeningSocket: Sendable {
    let descriptor: Descriptor

    /// The address assigned by the system.
    let address: SocketAddress

    private let calls: SystemCalls

    /// Its file: the path, and the identity of the file created there.
    private let file: (path: String, device: UInt, number: UInt)?

    init(
        _ place: SocketAddress, backlog: Int, reusesAddress: Bool, sharesPort: Bool, permissions: File.Permissions?,
        calls: SystemCalls
    ) throws(SystemError) {
        self.calls = calls
        try place.checkPort(0...65_535, for: "bind")
        let candidates = try calls.resolve(place, isPassive: true)
        guard let candidate = candidates.first else {
            throw SystemError(call: "getaddrinfo", code: EHOSTUNREACH, subject: "\(place)")
        }
        descriptor = try calls.socket(candidate.family, for: "\(place)")
        switch place {
        case .tcp:
            if reusesAddress { try calls.set(SO_REUSEADDR, of: SOL_SOCKET, to: 1, on: descriptor) }
            if sharesPort { try calls.set(SO_REUSEPORT, of: SOL_SOCKET, to: 1, on: descriptor) }
            try calls.bind(descriptor, to: candidate)
            file = nil
        case .unix(let path):
            // Before it has a name: the file is made with these, less the mask.
            if let permissions { try calls.setPermissions(permissions, of: descriptor) }
            do {
                try calls.bind(descriptor, to: candidate)
            } catch  where error.code == EADDRINUSE && reusesAddress {
                if try !Self.isAbandoned(path, candidate, calls) { throw error }
                try calls.unlink(path)
                try calls.bind(descriptor, to: candidate)
            }
            file = try calls.status(ofPath: path).map { (path, UInt($0.st_dev), UInt($0.st_ino)) }
            // Those that the mask has taken.
            if let permissions { try calls.setPermissions(permissions, ofPath: path) }
        }
        // If one of these throws, the file stays, and the next start finds it abandoned.
        try calls.listen(descriptor, backlog: backlog)
        address = try calls.localAddress(of: descriptor)
    }

    /// Takes over a socket that listens.
    init(adopting number: Int32, calls: SystemCalls) throws(SystemError) {
        self.calls = calls
        descriptor = try calls.adopt(number)
        if try calls.option(SO_ACCEPTCONN, of: SOL_SOCKET, on: descriptor) == 0 {
            throw SystemError(call: "accept", code: EINVAL, subject: "descriptor \(number), which does not listen")
        }
        address = try calls.localAddress(of: descriptor)
        file = nil
    }

    deinit {
        guard let file, let status = try? calls.status(ofPath: file.path) else { return }
        if UInt(status.st_dev) == file.device, UInt(status.st_ino) == file.number { try? calls.unlink(file.path) }
    }

    /// Whether there is a socket at a path on which no process listens.
    ///
    /// Asks with a socket of another type: a live listener rejects that for its type, and does not learn of it.
    private static func isAbandoned(
        _ path: String, _ address: KernelAddress, _ calls: SystemCalls
    ) throws(SystemError) -> Bool {
        guard let status = try calls.status(ofPath: path), status.st_mode & S_IFMT == S_IFSOCK else { return false }
        do {
            let socket = try calls.socket(AF_UNIX, type: headgate_datagram, for: path)
            _ = try calls.connect(socket, to: address)
            return false
        } catch {
            return error.code == ECONNREFUSED
        }
    }
}
