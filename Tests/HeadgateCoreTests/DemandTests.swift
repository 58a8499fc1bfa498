import Foundation
import HeadgateCore
import XCTest

final class DemandTests: XCTestCase {
    private typealias Demand = Subscribers.Demand

    /// What a demand stands for: a count without bounds, or infinity.
    private enum Model: Equatable {
        case count(Int128)
        case infinity

        init(_ demand: Demand) { self = demand.max.map { .count(Int128($0)) } ?? .infinity }

        /// The demand that a result should be: sums that do not fit are infinite, differences below zero are zero.
        var saturated: Model {
            switch self {
            case .count(let count): count > Int128(Int.max) ? .infinity : .count(max(count, 0))
            case .infinity: .infinity
            }
        }

        func combined(with other: Model, by operation: (Int128, Int128) -> Int128) -> Model? {
            guard case .count(let left) = self, case .count(let right) = other else { return nil }
            return Model.count(operation(left, right)).saturated
        }

        static func + (lhs: Model, rhs: Model) -> Model { lhs.combined(with: rhs, by: +) ?? .infinity }

        static func - (lhs: Model, rhs: Model) -> Model {
            lhs.combined(with: rhs, by: -) ?? (lhs == .infinity ? .infinity : .count(0))
        }

        static func < (lhs: Model, rhs: Model) -> Bool {
            switch (lhs, rhs) {
            case (.count(let left), .count(let right)): left < right
            case (.count, .infinity): true
            case (.infinity, _): false
            }
        }
    }

    /// Counts at the borders, and some between them that are the same in every run.
    private let counts: [Int] = {
        var counts = [0, 1, 2, 3, 5, 7, 1 << 31, 1 << 32, 1 << 62, .max / 2, .max / 2 + 1, .max - 2, .max - 1, .max]
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        for shift in 1...40 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            counts.append(Int(state >> (UInt64(shift) % 60 + 1)))
        }
        return counts
    }()

    private var demands: [Demand] { counts.map { .max($0) } + [.unlimited] }

    private var integers: [Int] { counts + counts.map { -$0 } + [.min, .min + 1] }

    func test_addsAndSubtractsDemandsLikeNumbersWithInfinity() {
        for left in demands {
            for right in demands {
                XCTAssertEqual(Model(left + right), Model(left) + Model(right), "\(left) + \(right)")
                XCTAssertEqual(Model(left - right), Model(left) - Model(right), "\(left) - \(right)")
                var sum = left
                sum += right
                XCTAssertEqual(sum, left + right)
                var difference = left
                difference -= right
                XCTAssertEqual(difference, left - right)
            }
        }
    }

    func test_addsAndSubtractsIntegersOfEitherSignLikeNumbersWithInfinity() {
        for left in demands {
            for right in integers {
                let model = Model.count(Int128(right))
                XCTAssertEqual(Model(left + right), Model(left) + model, "\(left) + \(right)")
                XCTAssertEqual(Model(left - right), Model(left) - model, "\(left) - \(right)")
                var sum = left
                sum += right
                XCTAssertEqual(sum, left + right)
                var difference = left
                difference -= right
                XCTAssertEqual(difference, left - right)
            }
        }
    }

    func test_multipliesLikeNumbersWithInfinityWhereTheProductFits() {
        for left in demands {
            for right in counts {
                guard let count = left.max else {
                    XCTAssertEqual(left * right, .unlimited)
                    continue
                }
                let (product, overflow) = count.multipliedReportingOverflow(by: right)
                if overflow { continue }
                XCTAssertEqual(left * right, .max(product), "\(left) * \(right)")
                var multiplied = left
                multiplied *= right
                XCTAssertEqual(multiplied, left * right)
            }
        }
    }

    func test_comparesWithDemandsLikeNumbersWithInfinity() {
        for left in demands {
            for right in demands {
                let (isLess, isEqual) = (Model(left) < Model(right), Model(left) == Model(right))
                XCTAssertEqual(left < right, isLess, "\(left) < \(right)")
                XCTAssertEqual(left <= right, isLess || isEqual, "\(left) <= \(right)")
                XCTAssertEqual(left > right, !isLess && !isEqual, "\(left) > \(right)")
                XCTAssertEqual(left >= right, !isLess, "\(left) >= \(right)")
                XCTAssertEqual(left == right, isEqual, "\(left) == \(right)")
                XCTAssertEqual(left != right, !isEqual, "\(left) != \(right)")
                if isEqual { XCTAssertEqual(left.hashValue, right.hashValue) }
            }
        }
    }

    func test_comparesWithIntegersOnEitherSideLikeNumbersWithInfinity() {
        for demand in demands {
            for integer in integers {
                let model = Model.count(Int128(integer))
                let (isLess, isEqual) = (Model(demand) < model, Model(demand) == model)
                XCTAssertEqual(demand < integer, isLess, "\(demand) < \(integer)")
                XCTAssertEqual(demand <= integer, isLess || isEqual, "\(demand) <= \(integer)")
                XCTAssertEqual(demand > integer, !isLess && !isEqual, "\(demand) > \(integer)")
                XCTAssertEqual(demand >= integer, !isLess, "\(demand) >= \(integer)")
                XCTAssertEqual(demand == integer, isEqual, "\(demand) == \(integer)")
                XCTAssertEqual(demand != integer, !isEqual, "\(demand) != \(integer)")
                XCTAssertEqual(integer > demand, isLess, "\(integer) > \(demand)")
                XCTAssertEqual(integer >= demand, isLess || isEqual, "\(integer) >= \(demand)")
                XCTAssertEqual(integer < demand, !isLess && !isEqual, "\(integer) < \(demand)")
                XCTAssertEqual(integer <= demand, !isLess, "\(integer) <= \(demand)")
                XCTAssertEqual(integer == demand, isEqual, "\(integer) == \(demand)")
                XCTAssertEqual(integer != demand, !isEqual, "\(integer) != \(demand)")
            }
        }
    }

    func test_saturatesToUnlimited() {
        XCTAssertEqual(Demand.max(.max) + 1, .unlimited)
        XCTAssertEqual(Demand.max(.max) + .max(.max), .unlimited)
        XCTAssertEqual(Demand.unlimited + .unlimited, .unlimited)
        XCTAssertEqual(Demand.max(.max) + 0, .max(.max))
        XCTAssertNotEqual(Demand.max(.max), .unlimited)
    }

    func test_staysUnlimitedWhateverIsTakenOff() {
        XCTAssertEqual(Demand.unlimited - 1, .unlimited)
        XCTAssertEqual(Demand.unlimited - .unlimited, .unlimited)
        XCTAssertEqual(Demand.unlimited * 0, .unlimited)
    }

    func test_doesNotFallBelowNone() {
        XCTAssertEqual(Demand.max(3) - 5, .none)
        XCTAssertEqual(Demand.none - .unlimited, .none)
        XCTAssertEqual(Demand.max(3) + -5, .none)
        XCTAssertEqual(Demand.none, .max(0))
    }

    func test_hasACountUnlessItIsUnlimited() {
        for count in counts { XCTAssertEqual(Demand.max(count).max, count) }
        XCTAssertNil(Demand.unlimited.max)
    }

    func test_isDescribed() {
        XCTAssertEqual("\(Demand.max(3))", "max(3)")
        XCTAssertEqual("\(Demand.none)", "max(0)")
        XCTAssertEqual("\(Demand.unlimited)", "unlimited")
    }

    func test_isReadBackAsItWasWritten() throws {
        let data = try JSONEncoder().encode(demands)
        XCTAssertEqual(try JSONDecoder().decode([Demand].self, from: data), demands)
        XCTAssertEqual(
            String(decoding: try JSONEncoder().encode([Demand.max(3), .unlimited]), as: UTF8.self),
            "[3,9223372036854775808]")
    }

    func test_isNotReadFromANumberThatIsNoDemand() {
        for text in ["[18446744073709551616]", "[-1]", "[0.5]", "[\"unlimited\"]"] {
            XCTAssertThrowsError(try JSONDecoder().decode([Demand].self, from: Data(text.utf8)), text) {
                XCTAssertTrue($0 is DecodingError)
            }
        }
    }

    func test_countsDistinctDemandsInASet() {
        XCTAssertEqual(Set(demands).count, Set(counts).count + 1)
    }

    func test_aProductTooLargeForACountIsUnlimited() {
        XCTAssertEqual(Demand.max(.max) * 2, .unlimited)
        XCTAssertEqual(Demand.max(.max) * .max, .unlimited)
        XCTAssertEqual(Demand.max(.max) * 1, .max(.max))
    }

    func test_isReadAsUnlimitedFromWhatIsMoreThanACount() throws {
        let decoded = try JSONDecoder().decode([Demand].self, from: Data("[9223372036854775809]".utf8))
        XCTAssertEqual(decoded, [.unlimited])
    }
}
