import HeadgateCore

/// A publisher that is another one at each subscription.
package struct Attempts<P: Publisher>: Publisher {
    package typealias Output = P.Output
    package typealias Failure = P.Failure

    package let make: () -> P

    package init(make: @escaping () -> P) { self.make = make }

    package func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        make().receive(subscriber: subscriber)
    }
}

/// A publisher that fails as soon as it is subscribed to.
package struct FailsAtOnce: Publisher {
    package typealias Output = Int
    package typealias Failure = TestFailure

    package init() {}

    package func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == TestFailure {
        subscriber.receive(subscription: Subscriptions.empty)
        subscriber.receive(completion: .failure(.first))
    }
}
