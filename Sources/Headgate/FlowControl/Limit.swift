/// Traps if a limit is less than one, because no value could ever pass.
///
/// - Parameters:
///   - operation: The operator, with the label of the argument.
@inlinable package func requireLimit(
    _ limit: Int, _ operation: StaticString, file: StaticString = #fileID, line: UInt = #line
) {
    require(
        limit > 0, rule: "A limit must be at least one, or no value could pass.", found: "\(operation) \(limit)",
        remedy: "Use a limit above zero, or .max for no limit.", file: file, line: line)
}
