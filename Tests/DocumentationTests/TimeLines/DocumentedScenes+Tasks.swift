import Dispatch
import Headgate
import HeadgateTesting

@testable import documentation

/// Time-lines of operators that run tasks, which an executor of the kit runs in the time of the scene.
extension DocumentedScenes {
    static func tasks(_ scene: TimeLineScene, _ name: String) -> Bool {
        switch name {
        case "AsyncMap asyncMap":
            let result = scene.cold("self").asyncMap(maxConcurrent: 2) { value in
                await scene.work("work on \(value)")
                return value
            }
            scene.show(result, as: "asyncMap")
        case "AsyncMap asyncCompactMap":
            let result = scene.cold("self").asyncCompactMap { value in
                await scene.work("work")
                return Int(value)
            }
            scene.show(result, as: "asyncCompactMap")
        case "AsyncMap asyncFilter":
            let result = scene.cold("self").asyncFilter { value in
                await scene.work("work")
                return Int(value)?.isMultiple(of: 2) ?? false
            }
            scene.show(result, as: "asyncFilter")
        case "AsyncMapByKey asyncMap":
            let result = scene.cold("self").asyncMap(maxConcurrent: 3, by: \.last) { value in
                await scene.work("work on \(value)")
                return value
            }
            scene.show(result, as: "asyncMap")
        case "AsyncFlatMap asyncFlatMap":
            let inner = [scene.cold("asyncFlatMap"), scene.cold("")]
            let streams = inner
            let result = scene.cold("self").asyncFlatMap { value in streams[value == "1" ? 0 : 1].map { value + $0 } }
            scene.show(result, as: "", 1, at: 0)
        case "Parallel sequential":
            let result = scene.cold("self").parallel(2).run(on: scene.scheduler).flatMap { value in
                let rail = value == "1" || value == "3" ? "first rail" : "second rail"
                scene.note(.begin, as: rail)
                return Just(value).setFailureType(to: Broken.self).delay(for: .seconds(5), scheduler: scene.scheduler)
                    .handleEvents(receiveCompletion: { _ in scene.note(.end, as: rail) })
            }
            scene.show(result.sequential(ordered: true), as: "sequential")
        case "AsyncSequence+Publisher publisher":
            let (numbers, continuation) = AsyncStream.makeStream(of: String.self)
            for number in ["1", "2", "3"] { continuation.yield(number) }
            continuation.finish()
            scene.show(numbers.publisher, as: "publisher", requests: "subscriber")
        case "Produce produce":
            let produced = Publishers.produce(String.self) { yield in
                for number in ["1", "2", "3"] { try await yield(number) }
            }
            scene.show(produced, as: "produce", requests: "subscriber")
        case "TaskPublisher task":
            let task = Publishers.task { () async throws(Broken) -> String in
                await scene.work("closure")
                return "7"
            }
            scene.show(task, as: "task", requests: "subscriber")
        default: return false
        }
        return true
    }

    static func awaiting(_ scene: TimeLineScene, _ name: String) -> Bool {
        switch name {
        case "AwaitingValues firstValue":
            awaited(in: scene, as: "firstValue") { await $0.firstValue }
        case "AwaitingValues lastValue":
            awaited(in: scene, as: "lastValue") { await $0.lastValue }
        case "AwaitingValues collected":
            awaited(in: scene, as: "collected") { await $0.collected(upTo: 3).joined() }
        case "ForEach forEach":
            let source = scene.cold("self").assertNoFailure()
            scene.run {
                await source.forEach { _ in await scene.work("body") }
                scene.note(.finish, as: "forEach")
            }
        case "StreamChannel StreamChannel":
            let channel = StreamChannel<String, Broken>(capacity: 1)
            scene.show(channel, as: "StreamChannel", requests: "requests")
            let signs = scene.signs(of: "send")
            scene.run {
                for (column, sign) in signs {
                    await scene.reach(column)
                    if case .value(let value) = sign { _ = try? await channel.send(value) }
                    if sign == .finish { channel.send(completion: .finished) }
                }
            }
        default: return false
        }
        return true
    }

    /// What a task has waited for, where the row of that name shows it.
    private static func awaited(
        in scene: TimeLineScene, as name: String,
        _ result: @escaping @Sendable (AnyPublisher<String, Never>) async -> String?
    ) {
        let source = scene.hot("self").assertNoFailure().eraseToAnyPublisher()
        scene.run {
            if let value = await result(source) { scene.note(.value(value), as: name) }
        }
    }

    static func actors(_ scene: TimeLineScene, _ name: String) -> Bool {
        let soon = ColumnActor(on: scene.scheduler, delay: 0)
        // Not retained by the streams.
        scene.retain(AnyCancellable { _ = soon })
        switch name {
        case "ReceiveOnActor receive(on:) next turn of the actor":
            let later = ColumnActor(on: scene.scheduler, delay: 1)
            scene.retain(AnyCancellable { _ = later })
            scene.show(scene.hot("self").receive(on: later), as: "")
        case "ReceiveOnActor map":
            scene.show(scene.hot("self").receive(on: soon).map { _, value in value == "1" ? "a" : "b" }, as: "map")
        case "ReceiveOnActor compactMap":
            let letters = ["1": "a", "3": "c"]
            scene.show(scene.hot("self").receive(on: soon).compactMap { _, value in letters[value] }, as: "compactMap")
        case "ReceiveOnActor filter":
            scene.show(scene.hot("self").receive(on: soon).filter { _, value in value != "2" }, as: "filter")
        default: return false
        }
        return true
    }
}
