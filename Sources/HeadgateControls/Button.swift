/// A button without a screen.
///
/// ```swift
/// let button = Button(title: "More")
/// let subscription = button.publisher(for: .primaryActionTriggered).sink { print($0.title) }
/// button.press()
/// // More
/// ```
open class Button: Control {
    /// The label of the button.
    public var title: String

    /// Creates a button.
    public init(title: String = "") {
        self.title = title
    }

    /// Simulates the user: touches and releases the button.
    public func press() {
        sendActions(for: .touchDown)
        sendActions(for: [.touchUpInside, .primaryActionTriggered])
    }
}
