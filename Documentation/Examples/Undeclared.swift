import Foundation
import Headgate
import HeadgateRedis
import HeadgateSystem

/// The names that examples which are compiled, and not run, use without declaring them.
enum Undeclared {
    struct SensorError: Error {}

    /// Whatever is published: an order, a payment, a user or an account.
    struct Item: Sendable {
        let cents = 0
        let pages = [""]
    }

    /// Whatever examples share: they name its instances, and of each a few of these.
    actor Shared {
        var entries: [Int: String] = [:]
        var balance = 0

        func ship(_ order: Item) {}
        func reserve(_ order: Item) -> Bool { true }
        func account(of user: Item) -> Item { user }
        func next() throws(SensorError) -> Double? { nil }
        func nextRow() throws -> String? { nil }
        func close() {}
        func close(_ completion: Subscribers.Completion<Never>) {}
        func openCursor(_ query: String) throws -> Shared { self }
        func beginTransaction() throws -> Shared { self }
        nonisolated func rows(_ query: String) -> some Publisher<String, any Error> {
            [""].publisher.setFailureType(to: (any Error).self)
        }
        func commit() {}
        func rollBack() {}
    }

    @MainActor final class Window {
        var title = ""
    }

    @MainActor static let window = Window()
    static let url = URL(fileURLWithPath: "/")
    static let warehouse = Shared()
    static let stock = Shared()
    static let cache = Shared()
    static let ledger = Shared()
    static let accounts = Shared()
    static let sensor = Shared()
    static let database = Shared()
    static let users: [Item] = []

    static var orders: some Publisher<Item, Never> { users.publisher }
    static var payments: some Publisher<Item, Never> { orders }
    static var ids: some Publisher<Int, Never> { [Int]().publisher }
    static var requests: some Publisher<Int, Never> { ids }
    static var progress: some Publisher<Int, Never> { ids }
    static var lines: some Publisher<String, Never> { [String]().publisher }
    static var connection: Connection { fatalError("No example that uses this is run.") }
    static var shutdown: GracefulShutdown { GracefulShutdown(on: Empty<Signal, Never>(), deadline: .seconds(10)) }

    static func download(_ page: Int) async throws -> String? { nil }
    static func download(_ url: URL) async throws -> Data { Data() }
    static func answer(_ request: Int) -> Just<Int> { Just(request) }
    static func book(_ delivery: Delivery) async -> Delivery { delivery }
    static func tidyUp() {}
}

/// The examples of `HeadgateTesting` are run without a test framework.
func XCTFail(_ message: String, file: StaticString = #filePath, line: UInt = #line) { print("failed:", message) }

func XCTAssertTrue(_ condition: Bool) {
    if !condition { XCTFail("") }
}
