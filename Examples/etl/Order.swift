import Foundation
import HeadgateSystem

/// One line of the input.
struct Order: Codable, Sendable {
    let id: Int
    let customer: String
    let cents: Int
}

/// The result of reading a line.
enum Reading: Sendable {
    case order(Order)
    case bad(line: Int, reason: String)

    /// Reads a line, whose number is counted from one.
    init(_ line: Bytes, number: Int) {
        do {
            self = .order(try JSONDecoder().decode(Order.self, from: Data(line)))
        } catch {
            self = .bad(line: number, reason: "no order")
        }
    }
}
