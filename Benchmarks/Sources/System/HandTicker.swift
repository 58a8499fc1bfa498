import Epoll
@preconcurrency import Glibc

/// The example `ticker-server` as a programmer would write it by hand: one thread, `epoll`, and the same batch for everybody.
///
/// It drops nothing and limits nothing: a client that does not read is not what it is measured with.
enum HandTicker {
    private struct Client {
        /// What the kernel had no room for.
        var waiting: [UInt8] = []
    }

    nonisolated(unsafe) private static var isOver: sig_atomic_t = 0

    /// Sends so many messages a second, those of so many milliseconds at a time, until `SIGTERM`, and then a farewell.
    static func serve(rate: Int, milliseconds: Int) {
        let (listener, port) = Echo.listen()
        _ = fcntl(listener, F_SETFL, O_NONBLOCK)
        signal(SIGTERM) { _ in HandTicker.isOver = 1 }
        fputs("listening on 127.0.0.1:\(port)\n", stderr)
        let poller = epoll_create1(0)
        func control(_ operation: Int32, _ number: Int32, _ events: UInt32) {
            var event = epoll_event()
            event.events = events
            event.data.fd = number
            epoll_ctl(poller, operation, number, &event)
        }
        control(EPOLL_CTL_ADD, listener, EPOLLIN.rawValue)
        var clients: [Int32: Client] = [:]
        func close(_ number: Int32) {
            clients[number] = nil
            Glibc.close(number)
        }
        func send(_ bytes: UnsafeRawBufferPointer, to number: Int32) {
            let hasWaited = !(clients[number]?.waiting.isEmpty ?? true)
            let sent = hasWaited ? 0 : Glibc.send(number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if sent < 0, errno != EAGAIN { return close(number) }
            if sent == bytes.count { return }
            clients[number]?.waiting += bytes[max(0, sent)...]
            if !hasWaited { control(EPOLL_CTL_MOD, number, EPOLLIN.rawValue | EPOLLOUT.rawValue) }
        }
        func flush(_ number: Int32) {
            guard let waiting = clients[number]?.waiting, !waiting.isEmpty else { return }
            let sent = Glibc.send(number, waiting, waiting.count, Int32(MSG_NOSIGNAL))
            if sent < 0, errno != EAGAIN { return close(number) }
            clients[number]?.waiting.removeFirst(max(0, sent))
            if sent == waiting.count { control(EPOLL_CTL_MOD, number, EPOLLIN.rawValue) }
        }
        func accept() {
            while case let number = Glibc.accept(listener, nil, nil), number >= 0 {
                _ = fcntl(number, F_SETFL, O_NONBLOCK)
                // As a connection has by default: each batch leaves at once.
                var yes: Int32 = 1
                setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
                clients[number] = Client()
                control(EPOLL_CTL_ADD, number, EPOLLIN.rawValue)
            }
        }
        let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: 64)
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: 4096, alignment: 16)
        var next = 0
        let began = now()
        var due = began
        while isOver == 0 {
            let count = epoll_wait(poller, events, 64, Int32(max(0, due - now())))
            for index in 0..<max(0, Int(count)) {
                let (number, kinds) = (events[index].data.fd, events[index].events)
                if number == listener { accept() } else if kinds & EPOLLOUT.rawValue != 0 { flush(number) }
                if number != listener, kinds & EPOLLIN.rawValue != 0, read(number, buffer, 4096) == 0 { close(number) }
            }
            if now() < due { continue }
            due = max(due + milliseconds, now())
            let last = (now() - began) * rate / 1000
            if last <= next { continue }
            let text = (next..<last).map(message).joined()
            next = last
            Array(text.utf8).withUnsafeBytes { bytes in for number in Array(clients.keys) { send(bytes, to: number) } }
        }
        for number in clients.keys {
            _ = Glibc.send(number, "end\n", 4, Int32(MSG_NOSIGNAL))
            shutdown(number, Int32(SHUT_RDWR))
        }
    }

    private static func message(_ number: Int) -> String {
        let cents = 10_000 + abs(number % 400 - 200)
        return "\(number) \(cents / 100).\(cents % 100 / 10)\(cents % 10)\n"
    }

    private static func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
}
