/// A line of text without a screen.
///
/// ```swift
/// let field = TextField()
/// let subscription = field.publisher(for: .editingChanged)
///     .compactMap { $0.text }
///     .sink { print($0) }
/// field.insertText("Gate")
/// field.deleteBackward()
/// // Gate
/// // Gat
/// ```
open class TextField: Control {
    /// The text.
    ///
    /// Setting it is not a user action, so no event is sent.
    public var text: String?

    /// Creates a field.
    public init(text: String? = "") {
        self.text = text
    }

    /// Simulates the user: appends text.
    public func insertText(_ text: String) {
        self.text = (self.text ?? "") + text
        sendActions(for: .editingChanged)
    }

    /// Simulates the user: deletes the last character.
    ///
    /// If the text is empty, nothing happens.
    public func deleteBackward() {
        if text?.popLast() != nil { sendActions(for: .editingChanged) }
    }

    /// Simulates the user: presses the return key.
    public func pressReturn() {
        sendActions(for: [.editingDidEndOnExit, .primaryActionTriggered])
    }
}
