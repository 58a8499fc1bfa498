/// Notes how deep the stack is, to see whether it grows.
public final class StackDepth {
    private var lowest = UInt.max
    private var highest = UInt.min

    /// How often a note was made.
    public private(set) var notes = 0

    /// Makes an object without notes.
    public init() {}

    /// How far apart the places are from which notes were made, in bytes.
    public var spread: UInt { notes == 0 ? 0 : highest - lowest }

    /// Makes a note of the place where it is called.
    @inline(never)
    public func note() {
        var local = 0
        let address = withUnsafeMutablePointer(to: &local) { UInt(bitPattern: $0) }
        lowest = min(lowest, address)
        highest = max(highest, address)
        notes += 1
    }
}
