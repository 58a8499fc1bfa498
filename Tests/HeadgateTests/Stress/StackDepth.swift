/// Notes how deep the stack is, to see whether it grows.
final class StackDepth {
    private var lowest = UInt.max
    private var highest = UInt.min

    private(set) var notes = 0

    /// How far apart the places are from which notes were made, in bytes.
    var spread: UInt { notes == 0 ? 0 : highest - lowest }

    @inline(never)
    func note() {
        var local = 0
        let address = withUnsafeMutablePointer(to: &local) { UInt(bitPattern: $0) }
        lowest = min(lowest, address)
        highest = max(highest, address)
        notes += 1
    }
}
