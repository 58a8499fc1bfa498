import HeadgateSystem

actor Database {
    var rows = 0
    func insert(_ batch: [String]) async throws {
        try await Task.sleep(for: .milliseconds(5))  // yours takes its time, too
        rows += batch.count
    }
}

@main
enum Ingest {
    static func main() async throws {
        let database = Database()
        try await File("big.log").bytes()
            .lines()
            .collect(1_000)
            .forEach(maxConcurrent: 8) { batch in try await database.insert(batch) }
        print(await database.rows, "rows")
        let status = File("/proc/self/status").bytes().lines()
        print(try await status.first { $0.hasPrefix("VmHWM") }.firstValue ?? "")  // the most memory it has had
    }
}
