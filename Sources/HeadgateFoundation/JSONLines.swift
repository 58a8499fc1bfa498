public import Foundation

extension Publisher where Output: Sequence<UInt8> & SendableMetatype {
    /// Decodes JSON lines: one JSON value per line, in UTF-8.
    ///
    /// ```
    /// lines     ---{"n":1}---""---{"n":2}---|
    /// values    ---1--------------2---------|
    /// ```
    ///
    /// ```swift
    /// struct Login: Decodable { let user: String }
    /// let cancellable = [#"{"user": "ada"}"#, "", #"{"user": "alan"}"#].publisher
    ///     .map { Array($0.utf8) }
    ///     .decodingJSONLines(as: Login.self)
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0.user) })
    /// // ada
    /// // alan
    /// // finished
    /// ```
    ///
    /// - **Demand**: one line per value; an empty line is dropped, and another one requested instead.
    /// - **Completion**: that of the lines; fails with the decoder's error if a line is not valid.
    /// - **Threads**: upstream's: a line is decoded, and its value delivered, on the thread on which upstream delivers
    ///   the line.
    /// - **Complexity**: one copy of the line, and the decoder's work.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - decoder: Decodes the lines, one after the other.
    @preconcurrency public func decodingJSONLines<Value: Decodable & SendableMetatype>(
        as type: Value.Type, decoder: JSONDecoder = JSONDecoder()
    ) -> Publishers.TryCompactMap<Self, Value> {
        tryCompactMap { line in
            let data = Data(line)
            return data.allSatisfy { $0 == 0x20 || $0 == 0x0D } ? nil : try decoder.decode(type, from: data)
        }
    }
}
