public import Foundation

/// Encodes values as JSON, for `encode(encoder:)`.
extension JSONEncoder: TopLevelEncoder {}

/// Decodes values from JSON, for `decode(type:decoder:)`.
extension JSONDecoder: TopLevelDecoder {}

/// Encodes values as a property list, for `encode(encoder:)`.
extension PropertyListEncoder: TopLevelEncoder {}

/// Decodes values from a property list, for `decode(type:decoder:)`.
extension PropertyListDecoder: TopLevelDecoder {}
