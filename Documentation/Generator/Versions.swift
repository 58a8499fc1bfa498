import Foundation

/// The versions of which the changelog tells, the first of which the site describes.
struct Versions {
    let names: [String]
    let isReleased: Bool

    init(repository: URL) throws {
        try self.init(
            changelog: String(contentsOf: repository.appendingPathComponent("CHANGELOG.md"), encoding: .utf8))
    }

    init(changelog: String) throws {
        let lines = changelog.components(separatedBy: "\n")
        names = lines.filter { $0.hasPrefix("## ") }.map { String($0.dropFirst(3)).trimmed }
        guard let first = lines.firstIndex(where: { $0.hasPrefix("## ") }) else {
            throw Complaint("CHANGELOG.md names no version.")
        }
        let introduction = lines[(first + 1)...].prefix { !$0.hasPrefix("#") }
        isReleased = !introduction.contains { $0.contains("Not yet released") }
    }

    func json() throws -> Data {
        try JSONSerialization.data(withJSONObject: ["names": names, "isReleased": isReleased] as [String: Any])
    }
}
