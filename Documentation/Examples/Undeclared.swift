import Foundation
import Headgate
import HeadgateRedis
import HeadgateSystem

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The names that examples which are compiled, and not run, use without declaring them.
enum Undeclared {
    struct Order: Sendable {}
    struct Payment: Sendable { let cents: Int }
    struct User: Sendable {}
    struct SensorError: Error {}

    actor Warehouse {
        func ship(_ order: Order) {}
    }

    actor Stock {
        func reserve(_ order: Order) -> Bool { true }
    }

    actor Cache {
        var entries: [Int: String] = [:]
    }

    actor Ledger {
        var balance = 0
        func close(_ completion: Subscribers.Completion<Never>) {}
    }

    struct Account: Sendable { let pages = [""] }

    actor Accounts {
        func account(of user: User) -> Account { Account() }
    }

    actor Sensor {
        func next() throws(SensorError) -> Double? { nil }
    }

    actor Cursor {
        func nextRow() throws -> String? { nil }
        func close() {}
    }

    actor Transaction {
        nonisolated func rows(_ query: String) -> some Publisher<String, any Error> {
            [""].publisher.setFailureType(to: (any Error).self)
        }
        func commit() {}
        func rollBack() {}
    }

    actor Database {
        func openCursor(_ query: String) throws -> Cursor { Cursor() }
        func beginTransaction() throws -> Transaction { Transaction() }
    }

    @MainActor final class Window {
        var title = ""
    }

    @MainActor static let window = Window()
    static let url = URL(fileURLWithPath: "/")
    static let warehouse = Warehouse()
    static let stock = Stock()
    static let cache = Cache()
    static let ledger = Ledger()
    static let accounts = Accounts()
    static let sensor = Sensor()
    static let database = Database()
    static let users: [User] = []

    static var orders: some Publisher<Order, Never> { [Order]().publisher }
    static var payments: some Publisher<Payment, Never> { [Payment]().publisher }
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
