import HeadgateCore
import HeadgateLibC

/// Writes a text in one call, so that those of several threads don't mix.
package func printToStandardError(_ text: String) {
    var text = text
    text.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
}

/// The operators whose limit of zero has been reported.
private let reportedLimits = Guarded<Set<String>>([])

/// Reports, once per operator, that it requests nothing because of a limit of zero, so that no value ever comes.
///
/// For those of Combine's interface, which doesn't forbid it: an upstream without values still completes.
@usableFromInline package func warnOfLimitOfZero(_ operation: StaticString) {
    guard reportedLimits.withLock({ $0.insert("\(operation)").inserted }) else { return }
    printToStandardError(
        """
        Headgate: \(operation) requests nothing, because its limit is zero, and publishes nothing. Use a limit of at \
        least one.\n
        """)
}
