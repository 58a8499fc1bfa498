import HeadgateLibC
import HeadgateTesting

/// Yields at random, so that threads interleave even on a single processor.
final class ThreadYielder {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// Yields, or does nothing.
    func pause() {
        let roll = generator.next() % 8
        if roll < 3 { yieldThread(times: Int(roll) + 1) }
    }
}

/// Lets other threads run.
func yieldThread(times: Int) {
    for _ in 0..<times { sched_yield() }
}
