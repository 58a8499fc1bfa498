import Dispatch
import Foundation
import Headgate
import HeadgateFoundation
import HeadgateSystem

// The mistakes of a first hour, each in a function of its own: what the compiler says of them is what a beginner reads.

enum Refusal: Error { case refused }

func theWrongTypeOfValue() {
    let _: AnyPublisher<String, Never> = Just(1).eraseToAnyPublisher()
}

func aFailureWhereNoneIsPossible() {
    let _: AnyPublisher<Int, Never> = Fail<Int, Refusal>(error: .refused).eraseToAnyPublisher()
}

func notErased() {
    let _: AnyPublisher<Int, Never> = Just(1).map { $0 + 1 }
}

func aSinkWithoutCompletion() {
    _ = Fail<Int, Refusal>(error: .refused).sink { print($0) }
}

func assignOfWhatMayFail() {
    final class Model { var count = 0 }
    _ = Fail<Int, Refusal>(error: .refused).assign(to: \.count, on: Model())
}

func assignOfAnotherType() {
    final class Model { var count = 0 }
    _ = Just("one").assign(to: \.count, on: Model())
}

func zipOfDifferentFailures() {
    _ = Just(1).zip(Fail<Int, Refusal>(error: .refused))
}

func mergeOfDifferentValues() {
    _ = Just(1).merge(with: Just("one"))
}

func mergeOfDifferentFailures() {
    _ = Just(1).merge(with: Fail<Int, Refusal>(error: .refused))
}

func flatMapToAValue() {
    _ = Just(1).flatMap { $0 }
}

func flatMapThatMayFail() {
    _ = Just(1).setFailureType(to: Refusal.self).flatMap { _ in Fail<Int, URLError>(error: URLError(.badURL)) }
}

func switchToLatestOfValues() {
    _ = Just(1).switchToLatest()
}

func throwingInMap() {
    _ = Just("1").map { text in
        guard let number = Int(text) else { throw Refusal.refused }
        return number
    }
}

func awaitingInMap() {
    func load(_ number: Int) async -> Int { number }
    _ = Just(1).map { await load($0) }
}

func filterOfAnOptional() {
    _ = Just(Optional(1)).filter { $0 }
}

func receiveOnText() {
    _ = Just(1).receive(on: "main")
}

func delayByANumber() {
    _ = Just(1).delay(for: "1", scheduler: DispatchQueue.main)
}

func throttleWithoutLatest() {
    _ = Just(1).throttle(for: .seconds(1), scheduler: DispatchQueue.main)
}

func removeDuplicatesOfWhatIsNotEquatable() {
    struct Point { var x = 0 }
    _ = Just(Point()).removeDuplicates()
}

func sendingAnotherType() {
    PassthroughSubject<Int, Never>().send("one")
}

func currentValueWithoutValue() {
    _ = CurrentValueSubject<Int, Never>()
}

func failingWhatNeverFails() {
    PassthroughSubject<Int, Never>().send(completion: .failure(Refusal.refused))
}

func storingInAConstant() {
    let cancellables = Set<AnyCancellable>()
    Just(1).sink { _ in }.store(in: &cancellables)
}

func catchWithAnotherType() {
    _ = Fail<Int, Refusal>(error: .refused).catch { _ in Just("none") }
}

func aPublisherWithoutReceive() {
    struct Numbers: Publisher {
        typealias Output = Int
        typealias Failure = Never
    }
}

func mapWithAKeyPathOfAnotherType() {
    _ = Just("one").map(\Int.description)
}

func collectByText() {
    _ = Just(1).collect("three")
}

func requestOfANumber() {
    func makeRequest(_ subscription: any Subscription) { subscription.request(1) }
}

func readingAFileAsAPublisher() {
    _ = File("log").sink { _ in }
}

func waitingWithoutAsync() {
    for await value in Just(1).values { print(value) }
}
