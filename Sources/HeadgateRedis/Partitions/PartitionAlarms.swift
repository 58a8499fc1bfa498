/// What a worker does later.
struct PartitionAlarms {
    /// Says that it lives, and renews what it owns.
    let tick = AlarmSlot()

    /// Tries failed work again.
    let retrial = AlarmSlot()

    /// Asks again for partitions that others have.
    let acquisition = AlarmSlot()

    /// Looks again whether another worker has its name.
    let rival = AlarmSlot()

    /// Looks at the plan after its bell has been rung.
    let answering = AlarmSlot()

    /// Reads again, if no node has told of a change until then.
    let waiting = AlarmSlot()

    func cancel() {
        for alarm in [tick, retrial, acquisition, rival, answering, waiting] { alarm.cancel() }
    }
}
