extension AlarmSlot {
    /// Sets the alarm, in place of the one before, on the system's clock.
    func set(after time: Duration, _ action: @escaping @Sendable () -> Void) {
        set { Pipeline.alarm.after(time, action) }
    }
}
