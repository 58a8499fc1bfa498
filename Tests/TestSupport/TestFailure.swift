/// The failure that tests send.
public enum TestFailure: Error, Hashable, Sendable {
    case first
    case second
}
