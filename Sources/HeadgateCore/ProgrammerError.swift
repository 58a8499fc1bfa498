/// Traps because the program breaks a rule in a way that no failure can report downstream.
///
/// - Parameters:
///   - rule: The rule, as a sentence.
///   - found: The value that broke it.
///   - remedy: What to write instead, as a sentence.
@inlinable package func programmerError(
    rule: String, found: String, remedy: String, file: StaticString = #fileID, line: UInt = #line
) -> Never {
    fatalError("\(rule) Found: \(found). \(remedy)", file: file, line: line)
}

/// Traps if the program breaks a rule in a way that no failure can report downstream.
///
/// - Parameters:
///   - isKept: Whether the rule is kept.
///   - rule: The rule, as a sentence.
///   - found: The value that broke it.
///   - remedy: What to write instead, as a sentence.
@inlinable package func require(
    _ isKept: Bool, rule: @autoclosure () -> String, found: @autoclosure () -> String,
    remedy: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
    if !isKept { programmerError(rule: rule(), found: found(), remedy: remedy(), file: file, line: line) }
}
