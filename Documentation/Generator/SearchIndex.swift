import Foundation

/// What the search of the site looks through: the text of each article's sections and of each symbol's comment.
///
/// There is no table of words: the script goes through all of it in a few milliseconds, and so finds parts of words as well.
struct SearchIndex {
    struct Entry {
        let title: String
        let kind: String
        let module: String
        let path: String
        let text: String
    }

    private(set) var entries: [Entry] = []

    var count: Int { entries.count }

    mutating func add(_ page: Page) {
        for section in page.sections {
            let path = page.path + (section.anchor.map { "#" + $0 } ?? "")
            let title = [page.title, section.heading].compactMap { $0 }.joined(separator: " › ")
            entries.append(
                Entry(title: title, kind: page.kind, module: page.module, path: path, text: section.text))
        }
    }

    /// A list per entry, which is shorter than an object.
    func json() throws -> Data {
        try JSONSerialization.data(
            withJSONObject: entries.map { [$0.title, $0.kind, $0.module, $0.path, $0.text] },
            options: [.withoutEscapingSlashes])
    }
}
