import Glibc
import HeadgateSystem
import XCTest

final class SystemErrorTests: XCTestCase {
    func test_reportsTheCallThePathAndTheReason() {
        let error = SystemError(call: "open", code: ENOENT, subject: "/no/such/file")
        XCTAssertEqual("\(error)", "open /no/such/file: No such file or directory")
        XCTAssertEqual("\(SystemError(call: "read", code: EIO))", "read: Input/output error")
    }
}
