import HeadgateCore
import HeadgateTesting

/// Sends the values of one upstream, from one thread at a time.
final class Sender<Value, Failure: Error> {
    let upstream = TestPublisher<Value, Failure>()
    private(set) var values: ArraySlice<Value>

    init(values: [Value]) { self.values = values[...] }

    /// - Returns: Whether there was a value with demand.
    func sendNext() -> Bool {
        guard let value = values.first, upstream.send(value) else { return false }
        values.removeFirst()
        return true
    }
}
