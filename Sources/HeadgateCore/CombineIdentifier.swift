import Synchronization

/// A unique identifier of a subscriber or subscription.
///
/// The identifier of a class instance is derived from its identity. A struct creates one with `CombineIdentifier()` and
/// stores it.
@frozen public struct CombineIdentifier: Hashable, Sendable {
    private let rawValue: UInt

    private static let made = Atomic<UInt>(0)

    /// Creates a unique identifier.
    ///
    /// Safe to call from any thread.
    public init() {
        // Odd numbers, because the address of an object is even: the two kinds never collide.
        rawValue = Self.made.wrappingAdd(2, ordering: .relaxed).newValue + 1
    }

    /// Creates the identifier of an object, the same one as long as the object lives.
    public init(_ obj: AnyObject) {
        rawValue = UInt(bitPattern: ObjectIdentifier(obj))
    }
}

extension CombineIdentifier: CustomStringConvertible {
    /// The identifier in hexadecimal, as in `0x7f3c`.
    public var description: String { "0x" + String(rawValue, radix: 16) }
}

/// A type whose instances can be distinguished in a log.
@preconcurrency public protocol CustomCombineIdentifierConvertible: SendableMetatype {
    /// A unique identifier of this instance.
    var combineIdentifier: CombineIdentifier { get }
}

extension CustomCombineIdentifierConvertible where Self: AnyObject {
    /// The identity of the object.
    public var combineIdentifier: CombineIdentifier { CombineIdentifier(self) }
}
