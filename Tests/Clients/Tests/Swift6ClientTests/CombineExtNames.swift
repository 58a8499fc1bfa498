import Dispatch
import Headgate
import XCTest

/// Code as it is written against CombineExt, with `import Headgate` in the place of its import: that it compiles is the test.
///
/// The names, labels and result types are those of its documentation.
final class CombineExtNames: XCTestCase {
    private enum Trouble: Error { case first }

    private final class Label {
        var text = ""
        var other = ""
    }

    private let source = PassthroughSubject<Int, Trouble>()
    private let other = PassthroughSubject<String, Trouble>()

    func test_combining() {
        let third = PassthroughSubject<Bool, Trouble>()
        let fourth = PassthroughSubject<Double, Trouble>()
        let alike = PassthroughSubject<Int, Trouble>()
        let _: AnyPublisher<Int, Trouble> = source.amb(alike).eraseToAnyPublisher()
        let _: AnyPublisher<Int, Trouble> = source.amb(with: alike, alike)
        let _: AnyPublisher<Int, Trouble> = source.amb(with: [alike])
        let _: AnyPublisher<Int, Trouble> = [source, alike].amb()
        let _: AnyPublisher<[Int], Trouble> = source.combineLatest(with: alike)
        let _: AnyPublisher<[Int], Trouble> = source.combineLatest(with: [alike])
        let _: AnyPublisher<[Int], Trouble> = [source, alike].combineLatest()
        let _: AnyPublisher<Int, Trouble> = [source, alike].merge()
        let _: AnyPublisher<[Int], Trouble> = [source, alike].zip()
        let _: AnyPublisher<[Int], Trouble> = source.zip(with: alike)
        let _: AnyPublisher<[Int], Trouble> = source.zip(with: [alike])
        let _: AnyPublisher<String, Trouble> = source.withLatestFrom(other) { "\($0) \($1)" }.eraseToAnyPublisher()
        let _: AnyPublisher<String, Trouble> = source.withLatestFrom(other).eraseToAnyPublisher()
        let _: AnyPublisher<String, Trouble> =
            source.withLatestFrom(other, third) { "\($0) \($1.0) \($1.1)" }.eraseToAnyPublisher()
        let _: AnyPublisher<(String, Bool), Trouble> = source.withLatestFrom(other, third).eraseToAnyPublisher()
        let _: AnyPublisher<String, Trouble> =
            source.withLatestFrom(other, third, fourth) { "\($0) \($1.0) \($1.1) \($1.2)" }.eraseToAnyPublisher()
        let _: AnyPublisher<(String, Bool, Double), Trouble> =
            source.withLatestFrom(other, third, fourth).eraseToAnyPublisher()
    }

    func test_transforming() {
        let lists = PassthroughSubject<[Int], Trouble>()
        let flags = PassthroughSubject<Bool, Trouble>()
        let _: AnyPublisher<Event<Int, Trouble>, Never> = source.materialize().eraseToAnyPublisher()
        let _: AnyPublisher<Int, Trouble> = source.materialize().dematerialize().eraseToAnyPublisher()
        let _: AnyPublisher<Int, Never> = source.materialize().values()
        let _: AnyPublisher<Trouble, Never> = source.materialize().failures()
        let event: some EventConvertible = Event<Int, Trouble>.value(1)
        XCTAssertNotNil(event.event)
        let _: AnyPublisher<Int, Trouble> = source.enumerated(initial: 5).map(\.index).eraseToAnyPublisher()
        let _: AnyPublisher<[Int], Trouble> = lists.filterMany { $0 > 1 }.eraseToAnyPublisher()
        let _: AnyPublisher<[String], Trouble> = lists.mapMany { "\($0)" }.eraseToAnyPublisher()
        let _: AnyPublisher<[Int], Trouble> = [source, source].flatMapBatches(of: 2)
        let _: AnyPublisher<String, Trouble> = source.flatMapFirst { _ in self.other }.eraseToAnyPublisher()
        let _: AnyPublisher<String, Trouble> = source.flatMapLatest { _ in self.other }.eraseToAnyPublisher()
        let _: AnyPublisher<Int, Never> = source.ignoreFailure()
        let _: AnyPublisher<Int, Never> = source.ignoreFailure(completeImmediately: false)
        let _: AnyPublisher<Int, any Error> = source.ignoreFailure(setFailureType: (any Error).self)
        let _: AnyPublisher<Int, any Error> =
            source.ignoreFailure(setFailureType: (any Error).self, completeImmediately: false)
        let _: AnyPublisher<String, Trouble> = source.ignoreOutput(setOutputType: String.self).eraseToAnyPublisher()
        let _: AnyPublisher<Result<Int, Trouble>, Never> = source.mapToResult()
        let _: AnyPublisher<String, Trouble> = source.mapToValue("x").eraseToAnyPublisher()
        let _: AnyPublisher<Void, Trouble> = source.mapToVoid().eraseToAnyPublisher()
        let _: AnyPublisher<[Int], Trouble> = source.nwise(3)
        let _: AnyPublisher<(Int, Int), Trouble> = source.pairwise().eraseToAnyPublisher()
        let _: AnyPublisher<String, Trouble> =
            source.ignoreOutput().setOutputType(to: String.self).eraseToAnyPublisher()
        let _: AnyPublisher<Bool, Trouble> = flags.toggle().eraseToAnyPublisher()
        let (_, _): (AnyPublisher<Int, Trouble>, AnyPublisher<Int, Trouble>) = source.partition { $0 > 0 }
        let sides = source.partition { $0 > 0 }
        let _: AnyPublisher<Int, Trouble> = sides.matches
        let _: AnyPublisher<Int, Trouble> = sides.nonMatches
    }

    func test_ending() {
        struct Alike { let id: Int }
        let _: AnyPublisher<Int, Trouble> = source.prefix(duration: 2, on: DispatchQueue.main)
        let _: AnyPublisher<Int, Trouble> =
            source.prefix(duration: 2, tolerance: .seconds(1), on: DispatchQueue.main, options: nil)
        let _: AnyPublisher<Int, Trouble> = source.prefix(while: { $0 < 3 }, behavior: .inclusive)
        let _: AnyPublisher<Int, Trouble> = source.prefix(while: { $0 < 3 }, behavior: .exclusive)
        let _: AnyPublisher<Int, Trouble> = source.removeAllDuplicates().eraseToAnyPublisher()
        let _: AnyPublisher<Int, Trouble> = source.removeAllDuplicates(by: ==).eraseToAnyPublisher()
        let _: AnyPublisher<Alike, Trouble> =
            source.map { Alike(id: $0) }.removeAllDuplicates { $0.id == $1.id }.eraseToAnyPublisher()
        let _: AnyPublisher<Int, Trouble> =
            source.retryWhen { (errors: AnyPublisher<Trouble, Never>) in errors.prefix(1) }.eraseToAnyPublisher()
        let _: AnyPublisher<Int, Trouble> = source.share(replay: 3).eraseToAnyPublisher()
    }

    func test_makingAndHearing() {
        let _: AnyPublisher<Int, Trouble> = AnyPublisher.create { subscriber in
            subscriber.send(1)
            subscriber.send(completion: .finished)
            return AnyCancellable {}
        }
        let _: AnyPublisher<Int, Trouble> = AnyPublisher { (subscriber: Publishers.Create<Int, Trouble>.Subscriber) in
            subscriber.send(1)
            return AnyCancellable {}
        }
        let label = Label()
        let texts = PassthroughSubject<String, Never>()
        let listeners = [
            texts.assign(to: \.text, on: label, ownership: .weak),
            texts.assign(to: \.text, on: label, and: \.other, on: label),
            texts.assign(to: \.text, on: label, and: \.other, on: label, ownership: .unowned),
            texts.assign(
                to: \.text, on: label, and: \.other, on: label, and: \.other, on: label, ownership: .strong),
        ]
        texts.send("heard")
        XCTAssertEqual([label.text, label.other], ["heard", "heard"])
        listeners.forEach { $0.cancel() }
        let level = CurrentValueRelay<Int>(1)
        let relay = PassthroughRelay<Int>()
        var received: [Int] = []
        let listening = [relay.sink { received.append($0) }, Just(3).subscribe(relay), relay.subscribe(level)]
        relay.accept(2)
        XCTAssertEqual(level.value, 2)
        level.accept(4)
        XCTAssertEqual(level.value, 4)
        XCTAssertEqual(received, [3, 2])
        listening.forEach { $0.cancel() }
        func accept<R: Relay>(_ relay: R) where R.Output == Int { relay.accept(5) }
        accept(level)
        let replay = ReplaySubject<Int, Trouble>(bufferSize: 2)
        replay.send(1)
        replay.send(completion: .finished)
    }
}
