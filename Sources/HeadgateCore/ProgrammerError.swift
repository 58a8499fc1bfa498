/// Stops the program because its author broke a rule that no subscriber could be told about.
///
/// - Parameters:
///   - rule: What has to hold, as a sentence.
///   - found: The value that was found instead.
///   - remedy: What to write instead, as a sentence.
@inlinable package func programmerError(
    rule: String, found: String, remedy: String, file: StaticString = #fileID, line: UInt = #line
) -> Never {
    fatalError("\(rule) Found: \(found). \(remedy)", file: file, line: line)
}
