extension Subscribers {
    /// The number of values that a subscriber is ready to take: a count from zero up, or no limit at all.
    ///
    /// A demand is a promise that only grows: what a subscriber has asked for can't be taken back, and what
    /// `Subscriber.receive(_:)` returns is added to what is still outstanding.
    ///
    /// ```swift
    /// print(Subscribers.Demand.max(3) + 2, Subscribers.Demand.max(3) - 5, Subscribers.Demand.unlimited - 5)
    /// // max(5) max(0) unlimited
    /// ```
    ///
    /// Arithmetic never overflows by surprise: a sum or a product too large for an `Int` is `.unlimited`, a difference
    /// below zero is `.none`, and `.unlimited` absorbs everything. Only a negative factor traps, for that is a mistake
    /// of the program and not a state of a stream.
    @frozen public struct Demand: Sendable {
        /// The count, or `unlimitedValue`.
        @usableFromInline package let rawValue: UInt

        /// One more than the greatest count, so that the order of raw values is the order of demands.
        @inlinable package static var unlimitedValue: UInt { UInt(Int.max) + 1 }

        /// Makes a demand of a raw value; anything past the greatest count is no limit.
        @inlinable package init(saturating rawValue: UInt) {
            self.rawValue = Swift.min(rawValue, Self.unlimitedValue)
        }
    }
}

extension Subscribers.Demand {
    /// As many values as the publisher has, for ever.
    @inlinable public static var unlimited: Self { Self(saturating: unlimitedValue) }

    /// No value.
    ///
    /// Asking for none is allowed everywhere and does nothing.
    @inlinable public static var none: Self { Self(saturating: 0) }

    /// At most `value` values.
    ///
    /// - Parameter value: A count of values. A negative one is a programmer's error and traps.
    @inlinable public static func max(_ value: Int) -> Self {
        if value < 0 {
            programmerError(
                rule: "A demand is a number of values and can't be negative.", found: ".max(\(value))",
                remedy: "Use .none to ask for nothing; a demand once made can't be taken back.")
        }
        return Self(saturating: UInt(bitPattern: value))
    }

    /// The count, or `nil` where there is no limit.
    @inlinable public var max: Int? {
        self == .unlimited ? nil : Int(bitPattern: rawValue)
    }
}

// The operators that mix demands and numbers are disfavoured: otherwise the compiler considers them for every `$0 * 2` in
// every closure of every client, and a chain of twelve operators takes it eight seconds where it takes a tenth of one.
extension Subscribers.Demand {
    /// The demand for everything that both sides ask for.
    @inlinable public static func + (lhs: Self, rhs: Self) -> Self {
        let (sum, overflow) = lhs.rawValue.addingReportingOverflow(rhs.rawValue)
        return overflow ? .unlimited : Self(saturating: sum)
    }

    /// The demand for `rhs` more values; a negative count counts as subtraction.
    @_disfavoredOverload
    @inlinable public static func + (lhs: Self, rhs: Int) -> Self {
        rhs < 0 ? lhs - Self(saturating: rhs.magnitude) : lhs + Self(saturating: rhs.magnitude)
    }

    /// What is left of `lhs` when `rhs` has been served: `.none` at the least, and `.unlimited` if it was so.
    @inlinable public static func - (lhs: Self, rhs: Self) -> Self {
        if lhs == .unlimited { return lhs }
        return lhs.rawValue > rhs.rawValue ? Self(saturating: lhs.rawValue - rhs.rawValue) : .none
    }

    /// What is left of `lhs` when `rhs` values have been served; a negative count counts as addition.
    @_disfavoredOverload
    @inlinable public static func - (lhs: Self, rhs: Int) -> Self {
        rhs < 0 ? lhs + Self(saturating: rhs.magnitude) : lhs - Self(saturating: rhs.magnitude)
    }

    /// The demand made `rhs` times over.
    ///
    /// `.unlimited` stays so, whatever the factor, and so is a product greater than `Int.max`. A negative factor is a
    /// programmer's error and traps.
    @_disfavoredOverload
    @inlinable public static func * (lhs: Self, rhs: Int) -> Self {
        if rhs < 0 {
            programmerError(
                rule: "A demand is a number of values and can't be negative.", found: "\(lhs) * \(rhs)",
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

    /// Takes a demand off this one.
    @inlinable public static func -= (lhs: inout Self, rhs: Self) { lhs = lhs - rhs }

    /// Takes a count of values off this demand.
    @_disfavoredOverload
    @inlinable public static func -= (lhs: inout Self, rhs: Int) { lhs = lhs - rhs }

    /// Multiplies this demand by a count.
    @_disfavoredOverload
    @inlinable public static func *= (lhs: inout Self, rhs: Int) { lhs = lhs * rhs }
}

extension Subscribers.Demand: Comparable, Hashable {
    /// Whether both ask for the same number of values.
    @inlinable public static func == (lhs: Self, rhs: Self) -> Bool { lhs.rawValue == rhs.rawValue }

    /// Whether the left side asks for fewer values.
    ///
    /// `.unlimited` is greater than every count.
    @inlinable public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

extension Subscribers.Demand {
    /// Whether the demand is exactly this count.
    @_disfavoredOverload
    @inlinable public static func == (lhs: Self, rhs: Int) -> Bool { rhs >= 0 && lhs.rawValue == rhs.magnitude }

    /// Whether the demand is anything but this count.
    @_disfavoredOverload
    @inlinable public static func != (lhs: Self, rhs: Int) -> Bool { !(lhs == rhs) }

    /// Whether the demand is below this count.
    @_disfavoredOverload
    @inlinable public static func < (lhs: Self, rhs: Int) -> Bool { rhs > 0 && lhs.rawValue < rhs.magnitude }

    /// Whether the demand is this count at the most.
    @_disfavoredOverload
    @inlinable public static func <= (lhs: Self, rhs: Int) -> Bool { rhs >= 0 && lhs.rawValue <= rhs.magnitude }

    /// Whether the demand is above this count.
    @_disfavoredOverload
    @inlinable public static func > (lhs: Self, rhs: Int) -> Bool { !(lhs <= rhs) }

    /// Whether the demand is this count at the least.
    @_disfavoredOverload
    @inlinable public static func >= (lhs: Self, rhs: Int) -> Bool { !(lhs < rhs) }

    /// Whether this count is exactly the demand.
    @_disfavoredOverload
    @inlinable public static func == (lhs: Int, rhs: Self) -> Bool { rhs == lhs }

    /// Whether this count is anything but the demand.
    @_disfavoredOverload
    @inlinable public static func != (lhs: Int, rhs: Self) -> Bool { rhs != lhs }

    /// Whether this count is below the demand.
    @_disfavoredOverload
    @inlinable public static func < (lhs: Int, rhs: Self) -> Bool { rhs > lhs }

    /// Whether this count is the demand at the most.
    @_disfavoredOverload
    @inlinable public static func <= (lhs: Int, rhs: Self) -> Bool { rhs >= lhs }

    /// Whether this count is above the demand.
    @_disfavoredOverload
    @inlinable public static func > (lhs: Int, rhs: Self) -> Bool { rhs < lhs }

    /// Whether this count is the demand at the least.
    @_disfavoredOverload
    @inlinable public static func >= (lhs: Int, rhs: Self) -> Bool { rhs <= lhs }
}

extension Subscribers.Demand: CustomStringConvertible {
    /// `max(3)`, or `unlimited`.
    public var description: String {
        max.map { "max(\($0))" } ?? "unlimited"
    }
}

extension Subscribers.Demand: Codable {
    /// Reads a demand from one unsigned number: the count; 2⁶³ and more is no limit.
    ///
    /// - Throws: What the decoder throws.
    public init(from decoder: any Decoder) throws {
        self.init(saturating: try decoder.singleValueContainer().decode(UInt.self))
    }

    /// Writes the demand as one unsigned number: the count, or 2⁶³ for no limit.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
