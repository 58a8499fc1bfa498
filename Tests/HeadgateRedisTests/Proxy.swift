import Foundation
import TestSupport

typealias Proxy = FaultProxy

extension FaultProxy {
    /// Stands between clients and a server of the tests.
    convenience init(to server: RealServer, plan: @escaping Plan = { _ in (.none, .none) }) throws {
        self.init(
            at: "\(server.folder)/proxy-\(UUID().uuidString.prefix(8))", to: .path(server.socket), plan: plan)
    }

    var url: String { "unix://\(path)" }
}
