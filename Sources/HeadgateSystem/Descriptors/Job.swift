/// A closure that is kept to be called.
// In a struct: see `Guarded`.
struct Job: Sendable {
    let work: @Sendable () -> Void
}
