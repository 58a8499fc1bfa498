import Synchronization

/// What tells one subscriber or subscription from every other.
///
/// A class gets one from its identity. A struct makes one with `CombineIdentifier()` and keeps it.
@frozen public struct CombineIdentifier: Hashable, Sendable {
    private let rawValue: UInt

    private static let made = Atomic<UInt>(0)

    /// An identifier that no other has.
    ///
    /// Safe to call from any thread.
    public init() {
        // Odd numbers, because the address of an object is even: the two kinds can't meet.
        rawValue = Self.made.wrappingAdd(2, ordering: .relaxed).newValue + 1
    }

    /// The identifier of an object, the same for as long as the object lives.
    public init(_ obj: AnyObject) {
        rawValue = UInt(bitPattern: ObjectIdentifier(obj))
    }
}

extension CombineIdentifier: CustomStringConvertible {
    /// The identifier in hexadecimal, as in `0x7f3c`.
    public var description: String { "0x" + String(rawValue, radix: 16) }
}

/// A type whose instances can be told apart in a log.
public protocol CustomCombineIdentifierConvertible {
    /// What tells this instance from every other.
    var combineIdentifier: CombineIdentifier { get }
}

extension CustomCombineIdentifierConvertible where Self: AnyObject {
    /// The identity of the object.
    public var combineIdentifier: CombineIdentifier { CombineIdentifier(self) }
}
