/// An encoder of values into data, such as a JSON encoder.
@preconcurrency public protocol TopLevelEncoder: SendableMetatype {
    /// The type of the encoded data.
    associatedtype Output

    /// Encodes a value.
    func encode<T: Encodable>(_ value: T) throws -> Output
}

/// A decoder of values from data, such as a JSON decoder.
@preconcurrency public protocol TopLevelDecoder: SendableMetatype {
    /// The type of the encoded data.
    associatedtype Input

    /// Decodes a value.
    func decode<T: Decodable>(_ type: T.Type, from: Input) throws -> T
}
