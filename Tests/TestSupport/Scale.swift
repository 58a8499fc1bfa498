/// How often the stress tests do what they do.
///
/// A debug build is some fifty times slower than a release build, and an instrumented one slower still; so the numbers
/// there are a tenth of what the names of the tests promise.
public enum Scale {
    /// The number of times, or a tenth of it.
    public static func reduced(_ count: Int) -> Int {
        #if DEBUG
            count / 10
        #else
            count
        #endif
    }
}
