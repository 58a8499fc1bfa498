import Headgate

/// A scheduler whose time passes when it is told.
final class HandScheduler: Scheduler {
    struct Time: Strideable {
        struct Stride: SchedulerTimeIntervalConvertible, SignedNumeric, Comparable {
            var magnitude: Int

            init(_ value: Int) { magnitude = value }
            init(integerLiteral value: Int) { magnitude = value }
            init?<Number: BinaryInteger>(exactly source: Number) { magnitude = Int(source) }

            static func < (left: Self, right: Self) -> Bool { left.magnitude < right.magnitude }
            static func + (left: Self, right: Self) -> Self { Self(left.magnitude + right.magnitude) }
            static func - (left: Self, right: Self) -> Self { Self(left.magnitude - right.magnitude) }
            static func * (left: Self, right: Self) -> Self { Self(left.magnitude * right.magnitude) }
            static func *= (left: inout Self, right: Self) { left.magnitude *= right.magnitude }
            static func seconds(_ value: Int) -> Self { Self(value) }
            static func seconds(_ value: Double) -> Self { Self(Int(value)) }
            static func milliseconds(_ value: Int) -> Self { Self(value) }
            static func microseconds(_ value: Int) -> Self { Self(value) }
            static func nanoseconds(_ value: Int) -> Self { Self(value) }
        }

        var value = 0

        func distance(to other: Self) -> Stride { Stride(other.value - value) }
        func advanced(by stride: Stride) -> Self { Self(value: value + stride.magnitude) }
    }

    private(set) var now = Time()
    let minimumTolerance = Time.Stride(0)
    private var work: [(due: Int, action: () -> Void)] = []

    func schedule(options: Never?, _ action: @escaping () -> Void) { work.append((now.value, action)) }

    func schedule(after date: Time, tolerance: Time.Stride, options: Never?, _ action: @escaping () -> Void) {
        work.append((date.value, action))
    }

    func schedule(
        after date: Time, interval: Time.Stride, tolerance: Time.Stride, options: Never?, _ action: @escaping () -> Void
    ) -> any Cancellable {
        work.append((date.value, action))
        return AnyCancellable {}
    }

    /// Lets one unit of time pass.
    func advance() {
        now.value += 1
        let due = work.filter { $0.due <= now.value }
        work.removeAll { $0.due <= now.value }
        for (_, action) in due { action() }
    }
}
