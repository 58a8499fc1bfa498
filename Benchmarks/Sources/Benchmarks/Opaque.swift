/// The closures that the pipelines and the baselines call.
///
/// The optimiser can't see into them, as it can't see into what an application gets from elsewhere; so no workload is
/// folded into nothing, and the price of the calls is the same on both sides.
enum Opaque {
    static let increment: @Sendable (Int) -> Int = hide { $0 &+ 1 }

    /// True for every other number.
    static let isEven: @Sendable (Int) -> Bool = hide { $0 & 1 == 0 }

    static let sum: @Sendable (Int, Int) -> Int = hide { $0 &+ $1 }

    /// Adds a number to the total: the end of every pipeline.
    static let add: @Sendable (Int) -> Void = {
        // In a local, for looking at a global variable would cost more than the addition.
        nonisolated(unsafe) let total = Opaque.total
        return hide { total.pointee &+= $0 }
    }()

    /// What has been added up.
    ///
    /// Printed, so that nothing is computed in vain.
    static var result: Int { total.pointee }

    // Pipelines deliver one value at a time, whatever the threads; the baselines do as well.
    nonisolated(unsafe) private static let total = {
        let total = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        total.initialize(to: 0)
        return total
    }()

    // Not generic: a generic function would wrap the closure in two thunks, and both sides would pay for them.

    @_optimize(none)
    @inline(never)
    private static func hide(_ closure: @escaping @Sendable (Int) -> Int) -> @Sendable (Int) -> Int { closure }

    @_optimize(none)
    @inline(never)
    private static func hide(_ closure: @escaping @Sendable (Int) -> Bool) -> @Sendable (Int) -> Bool { closure }

    @_optimize(none)
    @inline(never)
    private static func hide(_ closure: @escaping @Sendable (Int) -> Void) -> @Sendable (Int) -> Void { closure }

    @_optimize(none)
    @inline(never)
    private static func hide(_ closure: @escaping @Sendable (Int, Int) -> Int) -> @Sendable (Int, Int) -> Int {
        closure
    }
}
