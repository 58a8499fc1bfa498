import Headgate

extension Workload {
    /// Operators that turn each value into another one.
    static var transforming: [Workload] {
        [
            pulled("try-map", reach: 74) { $0.tryMap { $0 } },
            pulled("map-key-path", reach: 57) { $0.map(\.byteSwapped) },
            pulled("compact-map", reach: 62) { $0.compactMap { $0 } },
            pulled("try-compact-map", reach: 76) { $0.tryCompactMap { $0 } },
            pulled("unwrap", reach: 87) { $0.map(Optional.some).unwrap() },
            pulled("replace-nil", reach: 86) { $0.map(Optional.some).replaceNil(with: 0) },
            pulled("set-failure-type", reach: 43) { $0.setFailureType(to: Broken.self) },
            pulled("map-error", reach: 43) { $0.setFailureType(to: Broken.self).mapError { $0 as any Error } },
            pulled("try-scan", reach: 75) { $0.tryScan(0) { $0 &+ $1 } },
            pulled("scan-into", reach: 60) { $0.scan(into: 0) { $0 &+= $1 } },
            pulled("step-at-end", reach: 131) {
                $0.step(state: 0) { sum, value in
                    sum &+= value
                    return Optional.some(sum)
                } atEnd: {
                    $0
                }
            },
            pulled("owned", reach: 3780, lookups: 5) { $0.owned { _ in }.taken() },
            pulled("step", reach: 65) {
                $0.step(state: 0) { sum, value in
                    sum &+= value
                    return Optional.some(sum)
                }
            },
            pulled("enumerated", reach: 60) { $0.enumerated().map { $0.1 } },
            pulled("map-to-value", reach: 56) { $0.mapToValue(1) },
            pulled("map-to-void", reach: 62) { $0.mapToVoid().map { 1 } },
            pulled("map-many", reach: 1058) { $0.map { [$0] }.mapMany { $0 }.map { $0[0] } },
            pulled("filter-many", reach: 1154) { $0.map { [$0] }.filterMany { _ in true }.map { $0[0] } },
            pulled("map-to-result", reach: 106) { $0.mapToResult().map { $0.get() } },
            pulled("materialize", reach: 103) { $0.materialize().map { _ in 1 } },
            pulled("dematerialize", reach: 95) { $0.materialize().dematerialize() },
            pulled("values-of-events", reach: 137) { $0.materialize().values() },
            pulled("failures-of-events", reach: 70) {
                $0.setFailureType(to: Broken.self).materialize().failures().map { _ in 1 }
            },
            pulled("toggle", reach: 90) { $0.map { $0 > 0 }.toggle().map { $0 ? 1 : 2 } },
            pulled("measure-interval", reach: 124) {
                $0.measureInterval(using: ImmediateScheduler.shared).map { $0.magnitude }
            },
            pulled("encode", reach: 66) { $0.encode(encoder: IdentityCoder()).map { _ in 1 } },
            pulled("decode", reach: 69) { $0.decode(type: Decoded.self, decoder: IdentityCoder()).map { _ in 1 } },
        ]
    }

    struct Broken: Error {}

    struct Decoded: Decodable {
        init(from decoder: any Decoder) {}
    }

    /// Codes nothing, so that what is left is the operator.
    private struct IdentityCoder: TopLevelEncoder, TopLevelDecoder, Decoder {
        var codingPath: [any CodingKey] { [] }

        var userInfo: [CodingUserInfoKey: Any] { [:] }

        func encode<T: Encodable>(_ value: T) -> Int { 1 }

        func decode<T: Decodable>(_ type: T.Type, from value: Int) throws -> T { try T(from: self) }

        func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> { throw Broken() }

        func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Broken() }

        func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Broken() }
    }
}
