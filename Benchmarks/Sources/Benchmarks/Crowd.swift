import Headgate

/// How long it takes to leave a subject that many others listen to.
enum Crowd {
    /// Nanoseconds for one of 20,000 subscribers, in an order that is neither that of coming nor its reverse.
    static var nanosecondsToCancelOne: Int {
        let count = 20_000
        let subject = PassthroughSubject<Int, Never>()
        let sinks = (0..<count).map { _ in subject.sink(receiveValue: Opaque.add) }
        let duration = ContinuousClock().measure {
            // A prime that does not divide the number of sinks leads past each of them once.
            for index in 0..<count { sinks[index * 7919 % count].cancel() }
        }
        return Int(duration / .nanoseconds(1)) / count
    }
}
