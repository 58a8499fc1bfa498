public import Foundation

/// Writes values as JSON, for `encode(encoder:)`.
extension JSONEncoder: TopLevelEncoder {}

/// Reads values from JSON, for `decode(type:decoder:)`.
extension JSONDecoder: TopLevelDecoder {}

/// Writes values as a property list, for `encode(encoder:)`.
extension PropertyListEncoder: TopLevelEncoder {}

/// Reads values from a property list, for `decode(type:decoder:)`.
extension PropertyListDecoder: TopLevelDecoder {}
