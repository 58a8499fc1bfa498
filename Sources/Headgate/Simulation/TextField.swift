/// A line of text to type into, without a screen.
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
    /// Setting it is not what a user does, so nobody is told.
    public var text: String?

    /// Makes a field.
    public init(text: String? = "") {
        self.text = text
    }

    /// Does what a user does: types a text behind the present one.
    public func insertText(_ text: String) {
        self.text = (self.text ?? "") + text
        sendActions(for: .editingChanged)
    }

    /// Does what a user does: takes the last character away.
    ///
    /// Where there is none, nothing happens.
    public func deleteBackward() {
        if text?.popLast() != nil { sendActions(for: .editingChanged) }
    }

    /// Does what a user does: presses the return key.
    public func pressReturn() {
        sendActions(for: [.editingDidEndOnExit, .primaryActionTriggered])
    }
}
