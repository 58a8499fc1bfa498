extension Publisher where Output == Never {
    /// Gives a publisher without values any output type.
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
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `map(_:)`.
    @inlinable public func setOutputType<NewOutput>(to outputType: NewOutput.Type) -> Publishers.Map<Self, NewOutput> {
        map { never -> NewOutput in }
    }
}

extension Publisher {
    /// Drops all values, and changes the output type.
    ///
    /// ```swift
    /// let cancellable = [1, 2].publisher
    ///     .ignoreOutput(setOutputType: String.self)
    ///     .append("done")
    ///     .sink { print($0) }
    /// // done
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `ignoreOutput()`.
    @inlinable public func ignoreOutput<NewOutput>(
        setOutputType outputType: NewOutput.Type
    ) -> Publishers.Map<Publishers.IgnoreOutput<Self>, NewOutput> {
        ignoreOutput().setOutputType(to: outputType)
    }
}
