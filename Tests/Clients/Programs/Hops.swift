import Combine
import Dispatch

// What can't be sent to another thread, before an operator that delivers on one.

final class Box { var number = 0 }

func hop(_ boxes: PassthroughSubject<Box, Never>, _ queue: DispatchQueue) async {
    _ = boxes.receive(on: queue)
    _ = boxes.subscribe(on: queue)
    _ = boxes.delay(for: .seconds(1), scheduler: queue)
    _ = boxes.debounce(for: .seconds(1), scheduler: queue)
    _ = boxes.throttle(for: .seconds(1), scheduler: queue, latest: true)
    _ = boxes.timeout(.seconds(1), scheduler: queue)
    _ = boxes.collect(.byTime(queue, .seconds(1)))
    for await box in boxes.values { print(box) }
}
