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
