import Foundation

/// The sources as pages of the site, to whose lines the pages of symbols lead.
///
/// The repository has no address that every reader could open; the site does, and its sources are those that it describes.
struct SourcePages {
    let repository: URL
    let site: URL

    func write(_ files: [String]) throws {
        for file in files {
            let text = try String(contentsOf: repository.appendingPathComponent(file), encoding: .utf8)
            let page = site.appendingPathComponent("source/\(file).html")
            try FileManager.default.createDirectory(
                at: page.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Self.html(of: text, file: file).write(to: page, atomically: false, encoding: .utf8)
        }
    }

    static func html(of text: String, file: String) -> String {
        var lines = text.components(separatedBy: "\n")
        if lines.last?.isEmpty ?? false { lines.removeLast() }
        let rows = lines.enumerated().map { number, line in
            let kind = line.trimmed.hasPrefix("//") ? " class=\"comment\"" : ""
            return "<li id=\"L\(number + 1)\"><code\(kind)>\(escaped(line))</code></li>"
        }
        return """
            <!DOCTYPE html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(escaped(file))</title>
            <link rel="stylesheet" href="/book/book.css">
            <script type="module" src="/book/main.js"></script>
            <body class="book source">
            <header class="book-top"><a href="/documentation/headgate/">Headgate</a></header>
            <h1>\(escaped(file).replacingOccurrences(of: "/", with: "/<wbr>"))</h1>
            <ol>
            \(rows.joined(separator: "\n"))
            </ol>

            """
    }

    static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
            .replacingOccurrences(of: "\"", with: "&quot;")
    }
}
