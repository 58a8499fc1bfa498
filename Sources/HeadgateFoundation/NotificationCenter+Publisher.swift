public import Foundation
import HeadgateEngine

extension NotificationCenter {
    /// A publisher of the notifications with a name.
    ///
    /// Drops a notification for which there is no demand. To keep it, put `buffer` after it.
    ///
    /// ```
    /// center    --a--b--a------
    /// self      --a-----a------
    /// ```
    ///
    /// ```swift
    /// import Foundation
    /// import HeadgateFoundation
    ///
    /// let name = Notification.Name("finished")
    /// let subscription = NotificationCenter.default.publisher(for: name).sink { print($0.name.rawValue) }
    /// NotificationCenter.default.post(name: name, object: nil)
    /// // finished
    /// ```
    ///
    /// - **Demand**: a notification without demand is dropped. The center is observed from the first demand on.
    /// - **Completion**: never.
    /// - **Threads**: values are delivered on the thread that posts the notification.
    /// - **Complexity**: constant time per notification and subscriber.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - object: The sender whose notifications are published; `nil` for all senders. The publisher and its
    ///     subscriptions retain it.
    public func publisher(for name: Notification.Name, object: AnyObject? = nil) -> NotificationCenter.Publisher {
        Publisher(center: self, name: name, object: object)
    }

    // A center may be used from any thread; only the identity of the object is used.
    /// A publisher of the notifications with a name.
    public struct Publisher: HeadgateCore.Publisher, @unchecked Sendable {
        /// The type of the published values.
        public typealias Output = Notification

        /// The type of error that the stream may fail with.
        public typealias Failure = Never

        /// The center that is observed.
        public let center: NotificationCenter

        /// The name of the notifications.
        public let name: Notification.Name

        /// The sender whose notifications are published; `nil` for all senders.
        public let object: AnyObject?

        /// Creates the publisher that `publisher(for:object:)` returns.
        public init(center: NotificationCenter, name: Notification.Name, object: AnyObject? = nil) {
            self.center = center
            self.name = name
            self.object = object
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            serve(AnySubscriber(subscriber))
        }

        @usableFromInline func serve(_ subscriber: AnySubscriber<Output, Failure>) {
            let conduit = PushConduit<Notification, Never>(name: "NotificationCenter Observer", to: subscriber) {
                conduit in
                let observer = center.addObserver(forName: name, object: object, queue: nil) {
                    [weak conduit] notification in conduit?.push(notification)
                }
                return { center.removeObserver(observer) }
            }
            conduit.send(to: subscriber)
        }
    }
}

extension NotificationCenter.Publisher: Equatable {
    /// Whether both observe the same center for the same name and the same object.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.center === rhs.center && lhs.name == rhs.name && lhs.object === rhs.object
    }
}
