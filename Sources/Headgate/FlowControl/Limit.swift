import HeadgateCore

/// Traps where a limit is less than one, for then nothing could ever pass.
///
/// - Parameters:
///   - operation: The operator, with the label of the argument.
@inlinable package func requireLimit(
    _ limit: Int, _ operation: StaticString, file: StaticString = #fileID, line: UInt = #line
) {
    if limit > 0 { return }
    programmerError(
        rule: "A limit is one at the least, or nothing could pass.", found: "\(operation) \(limit)",
        remedy: "Use a limit above zero; .max is none.", file: file, line: line)
}
