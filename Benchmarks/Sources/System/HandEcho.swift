import Epoll
import Glibc

/// An echo server as a programmer would write it by hand: one thread, `epoll`, a buffer for each connection.
enum HandEcho {
    private struct Client {
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        var start = 0
        var end = 0
    }

    private static let size = 1 << 16

    /// Serves until so many clients have come and gone.
    static func serve(_ listener: Int32, clients total: Int) {
        let poller = epoll_create1(0)
        func control(_ operation: Int32, _ number: Int32, _ events: UInt32) {
            var event = epoll_event()
            event.events = events
            event.data.fd = number
            epoll_ctl(poller, operation, number, &event)
        }
        control(EPOLL_CTL_ADD, listener, EPOLLIN.rawValue)
        var clients: [Int32: Client] = [:]
        var gone = 0
        let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: 64)
        while gone < total {
            let count = epoll_wait(poller, events, 64, -1)
            for index in 0..<max(0, Int(count)) {
                let number = events[index].data.fd
                if number == listener {
                    let client = accept(listener, nil, nil)
                    if client < 0 { continue }
                    _ = fcntl(client, F_SETFL, O_NONBLOCK)
                    clients[client] = Client()
                    control(EPOLL_CTL_ADD, client, EPOLLIN.rawValue)
                } else if var client = clients[number] {
                    let isWaiting = client.start < client.end
                    if !isWaiting {
                        let count = read(number, client.buffer, size)
                        if count == 0 || (count < 0 && errno != EAGAIN) {
                            client.buffer.deallocate()
                            clients[number] = nil
                            close(number)
                            gone += 1
                            continue
                        }
                        (client.start, client.end) = (0, max(0, count))
                    }
                    let sent = send(
                        number, client.buffer + client.start, client.end - client.start, Int32(MSG_NOSIGNAL))
                    client.start += max(0, sent)
                    let mustWait = client.start < client.end
                    if mustWait != isWaiting {
                        control(EPOLL_CTL_MOD, number, mustWait ? EPOLLOUT.rawValue : EPOLLIN.rawValue)
                    }
                    clients[number] = client
                }
            }
        }
    }
}
