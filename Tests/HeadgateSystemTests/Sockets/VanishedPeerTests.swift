import Foundation
import Glibc
import HeadgateSystem
import XCTest

/// The other sides of connections vanish without a word, as when a machine loses its power.
final class VanishedPeerTests: XCTestCase {
    /// In a network namespace of its own, whose network is taken down under five streams.
    func test_everyKindOfStreamLearnsOfItByItsLimit() async throws {
        guard system("unshare -rn ip link show lo >/dev/null 2>&1 && command -v ss >/dev/null") == 0 else {
            throw XCTSkip("no network namespace can be made here, or there is no iproute2")
        }
        let tests = try XCTUnwrap(Bundle.main.executableURL)
        let probe = tests.deletingLastPathComponent().appendingPathComponent("TrapProbe")
        let outcome = try await Command("unshare", "-rn", probe.path, "lose peers").outcome()
        let lines = String(outcome?.output ?? "").split(separator: "\n").map(String.init)
        // What `ss` prints of connections that the system still keeps would follow.
        XCTAssertEqual(lines.count, 5, "\(lines)")
        for name in ["idle", "flooding", "kept alive", "stalled", "unacknowledged"] {
            let ends = lines.filter { $0.hasPrefix(name + ": fail") && $0.contains("Connection timed out") }
            XCTAssertEqual(ends.count, 1, "\(name): \(lines)")
        }
    }
}
