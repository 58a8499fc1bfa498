extension Subscribers {
    /// The number of values that a subscriber is ready to receive: zero or more, or unlimited.
    ///
    /// Demand only grows: a request can't be taken back, and the demand returned by `Subscriber.receive(_:)` is added
    /// to the outstanding demand.
    ///
    /// ```swift
    /// print(Subscribers.Demand.max(3) + 2, Subscribers.Demand.max(3) - 5, Subscribers.Demand.unlimited - 5)
    /// // max(5) max(0) unlimited
    /// ```
    ///
    /// Arithmetic never overflows: a sum or a product greater than `Int.max` is `.unlimited`, a difference below zero
    /// is `.none`, and `.unlimited` absorbs everything. Only a negative factor traps, because that is a mistake of the
    /// program and not a state of a stream.
    @frozen public struct Demand: Sendable {
        /// The count, or `unlimitedValue`.
        @usableFromInline package let rawValue: UInt

        /// The greatest count plus one, so that the order of raw values is the order of demands.
        @inlinable package static var unlimitedValue: UInt { UInt(Int.max) + 1 }

        /// Creates a demand from a raw value; anything beyond the greatest count is unlimited.
        // Without `min`, a generic function that a debug build calls.
        @inlinable package init(saturating rawValue: UInt) {
            self.rawValue = rawValue < Self.unlimitedValue ? rawValue : Self.unlimitedValue
        }

        @inlinable init(exactly rawValue: UInt) { self.rawValue = rawValue }
    }
}

extension Subscribers.Demand {
    /// As many values as the publisher has.
    @inlinable public static var unlimited: Self { Self(exactly: unlimitedValue) }

    /// No values.
    ///
    /// Requesting none is always allowed and does nothing.
    @inlinable public static var none: Self { Self(exactly: 0) }

    /// At most `value` values.
    ///
    /// - Parameter value: The number of values. A negative number traps.
    @inlinable public static func max(_ value: Int) -> Self {
        if value < 0 {
            programmerError(
                rule: "A demand can't be negative.", found: ".max(\(value))",
                remedy: "Use .none to request nothing; a request can't be taken back.")
        }
        return Self(exactly: UInt(bitPattern: value))
    }

    /// The count, or `nil` if unlimited.
    @inlinable public var max: Int? {
        self == .unlimited ? nil : Int(bitPattern: rawValue)
    }
}

// The operators that mix demands and numbers are disfavoured: otherwise the compiler considers them for every `$0 * 2`
// in every closure of every client, and type-checking a chain of twelve operators takes eight seconds instead of a
// tenth of one.
extension Subscribers.Demand {
    /// Returns the sum of both demands.
    @inlinable public static func + (lhs: Self, rhs: Self) -> Self {
        let (sum, overflow) = lhs.rawValue.addingReportingOverflow(rhs.rawValue)
        return overflow ? .unlimited : Self(saturating: sum)
    }

    /// Returns the demand for `rhs` more values; a negative count subtracts.
    @_disfavoredOverload
    @inlinable public static func + (lhs: Self, rhs: Int) -> Self {
        rhs < 0 ? lhs - Self(saturating: rhs.magnitude) : lhs + Self(saturating: rhs.magnitude)
    }

    /// Returns what remains of `lhs` after `rhs` has been satisfied: at least `.none`, and `.unlimited` if it was so.
    @inlinable public static func - (lhs: Self, rhs: Self) -> Self {
        if lhs == .unlimited { return lhs }
        return lhs.rawValue > rhs.rawValue ? Self(saturating: lhs.rawValue - rhs.rawValue) : .none
    }

    /// Returns what remains of `lhs` after `rhs` values have been delivered; a negative count adds.
    @_disfavoredOverload
    @inlinable public static func - (lhs: Self, rhs: Int) -> Self {
        rhs < 0 ? lhs + Self(saturating: rhs.magnitude) : lhs - Self(saturating: rhs.magnitude)
    }

    /// Returns the demand multiplied by `rhs`.
    ///
    /// `.unlimited` remains so, whatever the factor, and so does a product greater than `Int.max`. A negative factor
    /// traps.
    @_disfavoredOverload
    @inlinable public static func * (lhs: Self, rhs: Int) -> Self {
        if rhs < 0 {
            programmerError(
                rule: "A demand can't be negative.", found: "\(lhs) * \(rhs)",
                remedy: "Multiply by zero or more.")
        }
        if lhs == .unlimited { return lhs }
        let (product, overflow) = lhs.rawValue.multipliedReportingOverflow(by: rhs.magnitude)
        return overflow ? .unlimited : Self(saturating: product)
    }

    /// Adds a demand to this one.
    @inlinable public static func += (lhs: inout Self, rhs: Self) { lhs = lhs + rhs }

    /// Adds a count of values to this demand.
    @_disfavoredOverload
    @inlinable public static func += (lhs: inout Self, rhs: Int) { lhs = lhs + rhs }

    /// Subtracts a demand from this one.
    @inlinable public static func -= (lhs: inout Self, rhs: Self) { lhs = lhs - rhs }

    /// Subtracts a count of values from this demand.
    @_disfavoredOverload
    @inlinable public static func -= (lhs: inout Self, rhs: Int) { lhs = lhs - rhs }

    /// Multiplies this demand by a count.
    @_disfavoredOverload
    @inlinable public static func *= (lhs: inout Self, rhs: Int) { lhs = lhs * rhs }
}

extension Subscribers.Demand: Comparable, Hashable {
    /// Returns whether both demands are equal.
    @inlinable public static func == (lhs: Self, rhs: Self) -> Bool { lhs.rawValue == rhs.rawValue }

    /// Returns whether the left demand is smaller.
    ///
    /// `.unlimited` is greater than every count.
    @inlinable public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

extension Subscribers.Demand {
    /// Returns whether the demand equals a count.
    @_disfavoredOverload
    @inlinable public static func == (lhs: Self, rhs: Int) -> Bool { rhs >= 0 && lhs.rawValue == rhs.magnitude }

    /// Returns whether the demand differs from a count.
    @_disfavoredOverload
    @inlinable public static func != (lhs: Self, rhs: Int) -> Bool { !(lhs == rhs) }

    /// Returns whether the demand is less than a count.
    @_disfavoredOverload
    @inlinable public static func < (lhs: Self, rhs: Int) -> Bool { rhs > 0 && lhs.rawValue < rhs.magnitude }

    /// Returns whether the demand is at most a count.
    @_disfavoredOverload
    @inlinable public static func <= (lhs: Self, rhs: Int) -> Bool { rhs >= 0 && lhs.rawValue <= rhs.magnitude }

    /// Returns whether the demand is greater than a count.
    @_disfavoredOverload
    @inlinable public static func > (lhs: Self, rhs: Int) -> Bool { !(lhs <= rhs) }

    /// Returns whether the demand is at least a count.
    @_disfavoredOverload
    @inlinable public static func >= (lhs: Self, rhs: Int) -> Bool { !(lhs < rhs) }

    /// Returns whether a count equals the demand.
    @_disfavoredOverload
    @inlinable public static func == (lhs: Int, rhs: Self) -> Bool { rhs == lhs }

    /// Returns whether a count differs from the demand.
    @_disfavoredOverload
    @inlinable public static func != (lhs: Int, rhs: Self) -> Bool { rhs != lhs }

    /// Returns whether a count is less than the demand.
    @_disfavoredOverload
    @inlinable public static func < (lhs: Int, rhs: Self) -> Bool { rhs > lhs }

    /// Returns whether a count is at most the demand.
    @_disfavoredOverload
    @inlinable public static func <= (lhs: Int, rhs: Self) -> Bool { rhs >= lhs }

    /// Returns whether a count is greater than the demand.
    @_disfavoredOverload
    @inlinable public static func > (lhs: Int, rhs: Self) -> Bool { rhs < lhs }

    /// Returns whether a count is at least the demand.
    @_disfavoredOverload
    @inlinable public static func >= (lhs: Int, rhs: Self) -> Bool { rhs <= lhs }
}

extension Subscribers.Demand: CustomStringConvertible {
    /// The text `max(3)` or `unlimited`.
    public var description: String {
        max.map { "max(\($0))" } ?? "unlimited"
    }
}

extension Subscribers.Demand: Codable {
    /// Decodes a demand from one unsigned number: the count; 2⁶³ and above are unlimited.
    ///
    /// - Throws: The decoder's error.
    public init(from decoder: any Decoder) throws {
        self.init(saturating: try decoder.singleValueContainer().decode(UInt.self))
    }

    /// Encodes the demand as one unsigned number: the count, or 2⁶³ for unlimited.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
