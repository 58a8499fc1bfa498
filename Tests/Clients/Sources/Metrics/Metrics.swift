import Synchronization

/// In the place of swift-metrics, with the form of what the page ServerLibraries.md uses of it: remembers the latest values.
public struct Gauge: Sendable {
    private static let all = Mutex<[String: Double]>([:])

    private let name: String

    public init(label: String, dimensions: [(String, String)]) {
        name = ([label] + dimensions.map { "\($0)=\($1)" }).joined(separator: " ")
    }

    public func record(_ value: some BinaryInteger) { record(Double(value)) }

    public func record(_ value: Double) { Gauge.all.withLock { $0[name] = value } }

    /// What has been recorded by a name with its dimensions.
    public static func latest(_ name: String) -> Double? { all.withLock { $0[name] } }
}
