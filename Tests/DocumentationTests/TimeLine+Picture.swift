import HeadgateCore
import HeadgateTesting

@testable import documentation

extension TimeLine {
    /// The time-line as a picture, for documentation.
    ///
    /// The picture is a self-contained SVG element: no font, no style sheet, no identifiers, so a page may have
    /// several. Its colours are readable on light and on dark backgrounds. Equal time-lines make equal text.
    ///
    /// A value is a circle, or a capsule if it is long; the end is a bar, a failure a cross, a request a triangle above
    /// its number, `cancel()` an exclamation mark, and a subscription a beam between brackets. Signs in one column of a
    /// row are stacked, the first on top. A row of values without an end continues with an arrow. The kind of each sign
    /// is its `class`, such as `class="value"`.
    func svg() -> String {
        let rows = Row.allCases.filter { uses($0) }.map { row in
            DocumentedTimeLine.Row(
                name: row.rawValue, signs: entries.filter { $0.row == row }.map { ($0.column, $0.sign) })
        }
        return TimeLinePicture(rows: rows, length: length, title: description).svg
    }
}
