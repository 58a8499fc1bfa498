import Headgate
import HeadgateControls

/// A control's events as a publisher of the control, so that its properties are available without a cast.
func controls() {
    let field = TextField()
    let button = Button()

    let texts = field.publisher(for: .editingChanged)
        .compactMap { $0.text }
        .removeDuplicates()
        .sink { print("  text: \($0)") }
    let taps = button.publisher(for: .primaryActionTriggered)
        .scan(0) { count, _ in count + 1 }
        .sink { print("  taps: \($0)") }

    for letter in ["h", "e", "a", "d"] { field.insertText(letter) }
    button.press()
    button.press()

    // From here on the field has no targets.
    texts.cancel()
    field.insertText("gate")
    taps.cancel()
}
