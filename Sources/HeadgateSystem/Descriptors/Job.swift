/// A closure that is kept until it is called.
// In a struct: see `Guarded`.
struct Job: Sendable {
    let work: @Sendable () -> Void
}
