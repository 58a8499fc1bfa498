import Headgate
import HeadgateTesting
import HeadgateVerification

/// Operators that reduce a stream to a result.
extension Candidate {
    static var selecting: Family<Candidate> {
        Family(
            "Selecting",
            [
                .step("first", .finite) { $0.first() },
                .step("first(where:)", .finite) { $0.first { $0 > 3 } },
                .step("tryFirst(where:)") { $0.tryFirst { try $0.unlessNine() > 9 } },
                .step("last") { $0.last() },
                .step("last(where:)") { $0.last { $0 > 3 } },
                .step("tryLast(where:)") { $0.tryLast { try $0.unlessNine() > 3 } },
            ])
    }

    static var reducing: Family<Candidate> {
        Family(
            "Reducing",
            [
                .step("collect") { $0.collect() },
                .step("collect(3)") { $0.collect(3) },
                .step("reduce") { $0.reduce(0, +) },
                .step("reduce(into:)") { $0.reduce(into: 0) { $0 += $1 } },
                .step("tryReduce") { $0.tryReduce(0) { try $0 + $1.unlessNine() } },
                .step("count") { $0.count() },
                .step("min") { $0.min() },
                .step("max") { $0.max() },
                .step("min(by:)") { $0.min { $0 < $1 } },
                .step("max(by:)") { $0.max { $0 < $1 } },
                .step("tryMin(by:)") { $0.tryMin { try $0 < $1.unlessNine() } },
                .step("tryMax(by:)") { $0.tryMax { try $0 < $1.unlessNine() } },
            ])
    }

    static var matching: Family<Candidate> {
        Family(
            "Matching",
            [
                .step("contains", .finite) { $0.contains(3) },
                .step("contains(where:)", .finite) { $0.contains { $0 > 3 } },
                .step("tryContains(where:)") { $0.tryContains { try $0.unlessNine() > 9 } },
                .step("allSatisfy") { $0.allSatisfy { $0 < 30 } },
                .step("tryAllSatisfy") { $0.tryAllSatisfy { try $0.unlessNine() < 30 } },
            ])
    }
}
