public import Foundation
import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension NotificationCenter {
    /// A publisher of the notifications of one name.
    ///
    /// ```
    /// center    --a--b--a------
    /// self      --a-----a------
    /// ```
    ///
    /// ```swift
    /// let name = Notification.Name("finished")
    /// let subscription = NotificationCenter.default.publisher(for: name).sink { print($0.name.rawValue) }
    /// NotificationCenter.default.post(name: name, object: nil)
    /// // finished
    /// ```
    ///
    /// - **Demand**: a notification that nobody asked for is dropped. The center is observed from the first demand on.
    /// - **Completion**: never.
    /// - **Complexity**: one atomic account and one drain a notification.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - object: The sender whose notifications are published; those of all senders where there is none. It is kept
    ///     by the publisher and its subscriptions.
    public func publisher(for name: Notification.Name, object: AnyObject? = nil) -> NotificationCenter.Publisher {
        Publisher(center: self, name: name, object: object)
    }

    // A center may be used from any thread; of the object, only the identity is used.
    /// A publisher of the notifications of one name.
    public struct Publisher: HeadgateCore.Publisher, @unchecked Sendable {
        /// Notifications.
        public typealias Output = Notification

        /// Nothing goes wrong.
        public typealias Failure = Never

        /// The center that is observed.
        public let center: NotificationCenter

        /// The name of the notifications.
        public let name: Notification.Name

        /// The sender whose notifications are published; those of all senders where there is none.
        public let object: AnyObject?

        /// Makes the publisher that `publisher(for:object:)` returns.
        public init(center: NotificationCenter, name: Notification.Name, object: AnyObject? = nil) {
            self.center = center
            self.name = name
            self.object = object
        }

        /// Connects a subscriber to an observer of its own.
        public func receive(subscriber: some Subscriber<Output, Failure>) {
            subscriber.receive(
                subscription: PushConduit<Notification, Never>(name: "NotificationCenter Observer", to: subscriber) {
                    conduit in
                    let observer = center.addObserver(forName: name, object: object, queue: nil) {
                        [weak conduit] notification in conduit?.push(notification)
                    }
                    return { center.removeObserver(observer) }
                })
        }
    }
}

extension NotificationCenter.Publisher: Equatable {
    /// Whether both observe the same center for the same name and the same object.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.center === rhs.center && lhs.name == rhs.name && lhs.object === rhs.object
    }
}
