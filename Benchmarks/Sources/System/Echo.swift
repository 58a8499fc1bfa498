import Dispatch
import Glibc
import HeadgateSystem
import Synchronization

/// Echo of 64 KiB messages over TCP: a server by hand or with Headgate, and one client by hand for both.
enum Echo {
    /// Serves so many clients, and prints how long that took from the first to the last, and the CPU time.
    static func serve(by kind: String, clients: Int) {
        let began = Mutex<UInt64>(0)
        let hasEnded = DispatchSemaphore(value: 0)
        if kind == "hand" {
            let (listener, port) = listen()
            print(port)
            fflush(nil)
            HandEcho.serve(listener, clients: clients)
        } else {
            let listener = Listener(port: 0)
            let gone = Atomic(0)
            print((try? listener.bind())?.port ?? 0)
            fflush(nil)
            let serving = listener.sink(
                receiveCompletion: { print($0) },
                receiveValue: { connection in
                    began.withLock { if $0 == 0 { $0 = DispatchTime.now().uptimeNanoseconds } }
                    connection.bytes().write(to: connection) { _ in
                        if gone.add(1, ordering: .relaxed).newValue == clients { hasEnded.signal() }
                    }
                })
            hasEnded.wait()
            serving.cancel()
        }
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let user = Double(usage.ru_utime.tv_sec) + Double(usage.ru_utime.tv_usec) / 1e6
        let system = Double(usage.ru_stime.tv_sec) + Double(usage.ru_stime.tv_usec) / 1e6
        print("cpu \(Int((user + system) * 1000)) ms, resident \(usage.ru_maxrss) KiB")
    }

    /// Listens on a port that the system chooses.
    static func listen() -> (listener: Int32, port: UInt16) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(listener, $0, length)
                Glibc.listen(listener, 4096)
                getsockname(listener, $0, &length)
            }
        }
        return (listener, UInt16(bigEndian: place.sin_port))
    }

    /// Has each of so many threads send so many messages and read each one back, and prints the time.
    static func load(port: UInt16, clients: Int, messages: Int) {
        let began = DispatchTime.now().uptimeNanoseconds
        DispatchQueue.concurrentPerform(iterations: clients) { _ in
            let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var place = sockaddr_in()
            place.sin_family = sa_family_t(AF_INET)
            place.sin_port = port.bigEndian
            place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            _ = withUnsafePointer(to: &place) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            var yes: Int32 = 1
            setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
            let size = 1 << 16
            let buffer = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
            memset(buffer, 1, size)
            for _ in 0..<messages {
                var sent = 0
                while sent < size { sent += max(0, send(number, buffer + sent, size - sent, Int32(MSG_NOSIGNAL))) }
                var received = 0
                while received < size {
                    let count = recv(number, buffer, size - received, 0)
                    if count <= 0 { return print("The server has closed the connection.") }
                    received += count
                }
            }
            close(number)
        }
        let milliseconds = (DispatchTime.now().uptimeNanoseconds - began) / 1_000_000
        print("\(clients) clients, \(messages) messages of 64 KiB each: \(milliseconds) ms")
    }
}
