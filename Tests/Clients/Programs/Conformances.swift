import Foundation
import Headgate
import HeadgateFoundation

// Conformances that belong to the main actor, which a stream would use on any thread.

@MainActor struct Pixel { var x = 0 }

extension Pixel: @MainActor Equatable {
    static func == (left: Pixel, right: Pixel) -> Bool { left.x == right.x }
}

extension Pixel: @MainActor Hashable {
    func hash(into hasher: inout Hasher) { hasher.combine(x) }
}

extension Pixel: @MainActor Comparable {
    static func < (left: Pixel, right: Pixel) -> Bool { left.x < right.x }
}

extension Pixel: @MainActor Codable {
    init(from decoder: any Decoder) throws { self.init(x: try Int(from: decoder)) }
    func encode(to encoder: any Encoder) throws { try x.encode(to: encoder) }
}

@MainActor struct Row: @MainActor Sequence, @MainActor IteratorProtocol {
    mutating func next() -> Pixel? { nil }
}

@MainActor final class Ticker: @MainActor Publisher {
    typealias Output = Int
    typealias Failure = Never
    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {}
}

@MainActor final class Reader: @MainActor Subscriber {
    func receive(subscription: any Subscription) {}
    func receive(_ input: Int) -> Subscribers.Demand { .none }
    func receive(completion: Subscribers.Completion<Never>) {}
}

@MainActor final class Task: @MainActor Cancellable {
    func cancel() {}
}

@MainActor struct Watch: @MainActor TapObserver {
    func received(_ value: Int) {}
}

@MainActor func use(_ pixels: PassthroughSubject<Pixel, Never>) {
    _ = pixels.removeDuplicates()
    _ = pixels.removeAllDuplicates()
    _ = pixels.removeAllDuplicates(rememberingLast: 2)
    _ = pixels.contains(Pixel())
    _ = pixels.min()
    _ = pixels.chunked { $0 }
    _ = pixels.groupBy(limit: 2, whenFull: .drop) { $0 }
    _ = pixels.encode(encoder: JSONEncoder())
    _ = PassthroughSubject<Data, Never>().decode(type: Pixel.self, decoder: JSONDecoder())
    _ = Row().publisher
    _ = pixels.append(Row())
}
