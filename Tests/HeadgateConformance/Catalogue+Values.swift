import Foundation
import Headgate
import HeadgateFoundation
import HeadgateTesting
import HeadgateVerification

/// Operators on single values.
extension Candidate {
    private static let transparent: Capabilities = [.endsWithUpstream, .transparent]

    static var transforming: Family<Candidate> {
        Family(
            "Transforming",
            [
                .step("map", transparent) { $0.map { $0 * 10 } },
                .step("tryMap") { $0.tryMap { try $0.unlessNine() } },
                .step("map(\\.a)", transparent) { $0.map(\.description) as Publishers.MapKeyPath },
                .step("map(\\.a, \\.b)", transparent) { $0.map(\.description, \.bitWidth) },
                .step("map(\\.a, \\.b, \\.c)", transparent) { $0.map(\.description, \.bitWidth, \.self) },
                .step("compactMap", transparent) { $0.compactMap { $0.isMultiple(of: 2) ? $0 : nil } },
                .step("tryCompactMap") { $0.tryCompactMap { try $0.unlessNine().isMultiple(of: 2) ? $0 : nil } },
                .step("replaceNil(with:)", transparent) { $0.map { $0 > 2 ? $0 : nil }.replaceNil(with: 0) },
                .step("scan", transparent) { $0.scan(0, +) },
                .step("scan(into:)", transparent) { $0.scan(into: 0) { $0 += $1 } },
                .step("tryScan") { $0.tryScan(0) { try $0 + $1.unlessNine() } },
                .step("mapError", transparent) { $0.mapError { $0 } },
                .safeStep("setFailureType(to:)", [.finite, .transparent]) {
                    $0.setFailureType(to: VerificationFailure.self)
                },
                .step("encode(encoder:)") { $0.map { [$0] }.encode(encoder: JSONEncoder()) },
                .step("decode(type:decoder:)") {
                    $0.map { Data("[\($0)]".utf8) }.decode(type: [Int].self, decoder: JSONDecoder())
                },
                .step("map.filter.prefix(4).map", .finite) {
                    $0.map { $0 + 1 }.filter { $0 > 2 }.prefix(4).map { $0 * 2 }
                },
            ])
    }

    static var filtering: Family<Candidate> {
        Family(
            "Filtering",
            [
                .step("filter", transparent) { $0.filter { $0.isMultiple(of: 2) } },
                .step("tryFilter") { $0.tryFilter { try $0.unlessNine().isMultiple(of: 2) } },
                .step("removeDuplicates", transparent) { $0.map { $0 / 2 }.removeDuplicates() },
                .step("removeDuplicates(by:)", transparent) { $0.removeDuplicates { $0 / 2 == $1 / 2 } },
                .step("tryRemoveDuplicates(by:)") { $0.tryRemoveDuplicates { try $0 / 2 == $1.unlessNine() / 2 } },
                .step("ignoreOutput", transparent) { $0.ignoreOutput() },
                .step("replaceEmpty(with:)") { $0.replaceEmpty(with: 0) },
                .step("replaceError(with:)", .finite) { $0.replaceError(with: 0) },
            ])
    }

    static var trimming: Family<Candidate> {
        Family(
            "Trimming",
            [
                .step("prefix(5)", .finite) { $0.prefix(5) },
                .step("prefix(0)", .finite) { $0.prefix(0) },
                .step("prefix(while:)", .finite) { $0.prefix { $0 < 5 } },
                .step("tryPrefix(while:)") { $0.tryPrefix { try $0.unlessNine() < 20 } },
                .step("prefix(untilOutputFrom:), silent") { $0.prefix(untilOutputFrom: silence) },
                .step("prefix(untilOutputFrom:), at once", .finite) { $0.prefix(untilOutputFrom: Just(1)) },
                .join("prefix(untilOutputFrom:)", 2, .finite, racing: .dropsUnasked) {
                    $0[0].prefix(untilOutputFrom: $0[1])
                },
                .step("dropFirst(2)", transparent) { $0.dropFirst(2) },
                .step("drop(while:)", transparent) { $0.drop { $0 < 3 } },
                .step("tryDrop(while:)") { $0.tryDrop { try $0.unlessNine() < 3 } },
                .step("drop(untilOutputFrom:), silent") { $0.drop(untilOutputFrom: silence) },
                .step("drop(untilOutputFrom:), at once") { $0.drop(untilOutputFrom: numbers(1)) },
                .step("drop(untilOutputFrom:), failing") {
                    $0.drop(untilOutputFrom: Fail<Int, VerificationFailure>(error: .upstreamFailed))
                },
                .join("drop(untilOutputFrom:)", 2, [], racing: .dropsUnasked) { $0[0].drop(untilOutputFrom: $0[1]) },
                .step("output(at:)", .finite) { $0.output(at: 2) },
                .step("output(in:)", .finite) { $0.output(in: 1...4) },
            ])
    }

    static var observing: Family<Candidate> {
        Family(
            "Observing",
            [
                .step("print", transparent) { $0.print("", to: Silence()) },
                .step("handleEvents", transparent) { $0.handleEvents(receiveOutput: { _ in }) },
                .step("breakpoint", transparent) { $0.breakpoint() },
                .safeStep("assertNoFailure", [.finite, .transparent]) { $0.assertNoFailure() },
            ])
    }
}

private struct Silence: TextOutputStream {
    mutating func write(_ string: String) {}
}
