import Glibc

/// A web server's log that is made up.
enum LogFile {
    static func make(at path: String, mebibytes: Int) {
        guard let file = fopen(path, "w") else { return perror(path) }
        defer { fclose(file) }
        var state: UInt64 = 1
        func random(_ bound: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % bound
        }
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let pages = ["/", "/login", "/index.html", "/images/logo.png", "/articles/2026/03/on-backpressure"]
        let codes = [200, 200, 200, 304, 404, 500]
        var written = 0
        var second = 0
        var block = ""
        while written < mebibytes << 20 {
            block.removeAll(keepingCapacity: true)
            for _ in 0..<5000 {
                if random(4) == 0 { second = (second + 1) % 86400 }
                let time = "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))"
                let page = pages[Int(random(UInt64(pages.count)))]
                let code = codes[Int(random(UInt64(codes.count)))]
                block += "10.0.\(random(8)).\(random(256)) - - [14/Mar/2026:\(time) +0000] "
                block += "\"GET \(page) HTTP/1.1\" \(code) \(random(40_000))\n"
            }
            written += block.utf8.count
            block.withUTF8 { _ = fwrite($0.baseAddress, 1, $0.count, file) }
        }
    }
}
