import HeadgateCombine
import HeadgateCore

extension Publisher where Output == Never {
    /// Declares values of some type for a publisher that has none.
    ///
    /// ```
    /// self           ----|      of a publisher without values
    /// setOutputType  ----|
    /// ```
    ///
    /// ```swift
    /// let cancellable = Empty<Never, Never>()
    ///     .setOutputType(to: Int.self)
    ///     .append(7)
    ///     .sink { print($0) }
    /// // 7
    /// ```
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `map(_:)`.
    @inlinable public func setOutputType<NewOutput>(to outputType: NewOutput.Type) -> Publishers.Map<Self, NewOutput> {
        map { never -> NewOutput in }
    }
}

extension Publisher {
    /// Leaves all values out, and declares values of another type, to go on with.
    ///
    /// ```swift
    /// let cancellable = [1, 2].publisher
    ///     .ignoreOutput(setOutputType: String.self)
    ///     .append("done")
    ///     .sink { print($0) }
    /// // done
    /// ```
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `ignoreOutput()`.
    @inlinable public func ignoreOutput<NewOutput>(
        setOutputType outputType: NewOutput.Type
    ) -> Publishers.Map<Publishers.IgnoreOutput<Self>, NewOutput> {
        ignoreOutput().setOutputType(to: outputType)
    }
}
