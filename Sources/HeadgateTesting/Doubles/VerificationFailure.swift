/// The failure with which verifiers end a stream.
public enum VerificationFailure: Error, Hashable, Sendable {
    /// The upstream has failed, as the script says.
    case upstreamFailed
}
