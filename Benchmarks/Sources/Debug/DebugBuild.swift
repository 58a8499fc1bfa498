import Dispatch
import Headgate

/// What a value costs in a program that has been built without optimisation, as tests are.
///
/// ```
/// DebugBuild                 name and reach of each pipeline, separated by a tab
/// DebugBuild NAME COUNT      passes a number of values through one of them
/// ```
@main
enum DebugBuild {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.isEmpty {
            for pipeline in pipelines { print(pipeline.name, pipeline.reach, separator: "\t") }
        }
        for pipeline in pipelines where arguments.count == 2 && pipeline.name == arguments[0] {
            pipeline.run(Int(arguments[1]) ?? 0)
        }
    }

    /// Their names, the greatest number of instructions per value, and what they do.
    private static let pipelines: [(name: String, reach: Int, run: (Int) -> Void)] = [
        (
            "subject-map-filter-sink", 3000,
            { count in
                let subject = PassthroughSubject<Int, Never>()
                let cancellable = subject.map { $0 &+ 1 }.filter { $0 & 1 == 0 }.sink { add($0) }
                for value in 0..<count { subject.send(value) }
                cancellable.cancel()
            }
        ),
        (
            "range-map-filter-sink", 3000,
            { (0..<$0).publisher.map { $0 &+ 1 }.filter { $0 & 1 == 0 }.sink { add($0) }.cancel() }
        ),
        (
            "receive-on-queue", 6600,
            { count in
                let done = DispatchSemaphore(value: 0)
                let subject = PassthroughSubject<Int, Never>()
                let cancellable = subject.receive(on: DispatchQueue(label: "queue"))
                    .sink(receiveCompletion: { _ in done.signal() }, receiveValue: { add($0) })
                for value in 0..<count { subject.send(value) }
                subject.send(completion: .finished)
                done.wait()
                cancellable.cancel()
            }
        ),
    ]

    nonisolated(unsafe) private static var sum = 0

    private static func add(_ value: Int) { sum &+= value }
}
