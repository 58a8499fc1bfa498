/// Times workloads by the clock, to see how they compare on this machine.
///
/// What has to be exact is counted in instructions, by the script `instructions`.
enum Stopwatch {
    /// Prints one row for every workload.
    static func printTable(of workloads: [Workload]) {
        print("| workload | element | ns per element | by hand | ratio |")
        print("| --- | --- | ---: | ---: | ---: |")
        for workload in workloads {
            let (pipeline, byHand) = measure(workload)
            let ratio = byHand > 0 ? "\(rounded(pipeline / byHand))" : "-"
            print(
                "| \(workload.name) | \(workload.element) | \(rounded(pipeline)) | \(rounded(byHand)) | \(ratio) |")
        }
    }

    /// The medians of several runs of both sides, which take turns so that a change of the clock rate meets both.
    private static func measure(_ workload: Workload) -> (pipeline: Double, byHand: Double) {
        let count = size(for: workload.run)
        let countByHand = size(for: workload.baseline)
        let runs = (0..<7).map { _ in
            (time(workload.run, count), time(workload.baseline, countByHand))
        }
        return (median(runs.map(\.0)), median(runs.map(\.1)))
    }

    /// A number of elements that keeps the clock busy for some hundredths of a second.
    private static func size(for run: (Int) -> Void) -> Int {
        var count = 1000
        while time(run, count) * Double(count) < 20_000_000, count < 10_000_000 { count *= 4 }
        return count
    }

    /// Nanoseconds per element.
    private static func time(_ run: (Int) -> Void, _ count: Int) -> Double {
        let duration = ContinuousClock().measure { run(count) }
        return duration / .nanoseconds(1) / Double(count)
    }

    private static func median(_ figures: [Double]) -> Double {
        figures.sorted()[figures.count / 2]
    }

    private static func rounded(_ figure: Double) -> Double {
        (figure * 10).rounded() / 10
    }
}
