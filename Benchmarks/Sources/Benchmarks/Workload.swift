/// One thing to measure: what Headgate does, and what a programmer would write by hand for the same end.
struct Workload {
    /// The word by which the command line knows it.
    let name: String

    /// What one element is: a value, a subscription, a delivery.
    let element: String

    /// The greatest number of instructions that one element may take, or that may be added.
    let reach: Int

    /// Whether threads take part, so that the number of instructions differs from run to run.
    var isThreaded = false

    /// Whether the baseline is the same pipeline without an operator, and the reach how many instructions that may add.
    var isAddition = false

    /// How often an element may look up the metadata of a generic type, which specialised code does not.
    var lookups = 0

    /// Does it with a number of elements.
    let run: (_ count: Int) -> Void

    /// Does the same by hand, with the same closures.
    let baseline: (_ count: Int) -> Void
}

extension Workload {
    /// Runs the workload and then its baseline, each up to a mark, with few elements and up to another with many.
    ///
    /// What is needed only once, such as the metadata of types, has been obtained before.
    func count(_ few: Int, _ many: Int) {
        for body in [run, baseline] {
            body(few)
            mark()
            body(few)
            mark()
            body(many)
            mark()
        }
    }

    /// Every workload, in the order of the tables.
    static var all: [Workload] {
        pulling + creating + demanding + staging + sending + sharing + combining + flattening + scheduling + crossing
            + awaiting + working + subscribing + flowing + zipping + switching + comparing + transforming + selecting
            + joining + recovering + observing + multicasting + pacing + ending + generic
    }

    static func named(_ name: String) -> Workload? {
        all.first { $0.name == name }
    }
}
