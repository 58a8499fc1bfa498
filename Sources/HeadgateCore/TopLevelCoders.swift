/// Something that makes one piece of data of a value, such as a JSON encoder.
public protocol TopLevelEncoder {
    /// The kind of data that is made.
    associatedtype Output

    /// Makes data of a value.
    func encode<T: Encodable>(_ value: T) throws -> Output
}

/// Something that makes a value of one piece of data, such as a JSON decoder.
public protocol TopLevelDecoder {
    /// The kind of data that is read.
    associatedtype Input

    /// Makes a value of data.
    func decode<T: Decodable>(_ type: T.Type, from: Input) throws -> T
}
