/// A button without a screen.
///
/// ```swift
/// let button = Button(title: "More")
/// let subscription = button.publisher(for: .primaryActionTriggered).sink { print($0.title) }
/// button.press()
/// // More
/// ```
open class Button: Control {
    /// What is written on the button.
    public var title: String

    /// Makes a button.
    public init(title: String = "") {
        self.title = title
    }

    /// Does what a user does: touches the button and lets go of it again.
    public func press() {
        sendActions(for: .touchDown)
        sendActions(for: [.touchUpInside, .primaryActionTriggered])
    }
}
