extension Publisher {
    /// Replaces a failure with a normal completion, or with silence.
    ///
    /// ```
    /// self           1---2---x
    /// ignoreFailure
    ///                1---2---|
    /// ```
    ///
    /// ```swift
    /// struct Problem: Error {}
    /// let cancellable = [1].publisher.setFailureType(to: Problem.self)
    ///     .append(Fail(error: Problem()))
    ///     .ignoreFailure()
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // 1
    /// // finished
    /// ```
    ///
    /// - **Demand**: forwarded.
    /// - **Completion**: finishes with upstream; if upstream fails, finishes or never completes.
    /// - **Threads**: upstream's: everything is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: constant time per value.
    ///
    /// - Parameter completeImmediately: Whether to finish when upstream fails.
    @inlinable public func ignoreFailure(completeImmediately: Bool = true) -> AnyPublisher<Output, Never> {
        self.catch { _ in Empty(completeImmediately: completeImmediately) }.eraseToAnyPublisher()
    }

    /// Replaces a failure with a normal completion, or with silence, and changes the failure type.
    ///
    /// ```swift
    /// struct Problem: Error {}
    /// struct Other: Error {}
    /// let cancellable = Fail<Int, Problem>(error: Problem())
    ///     .ignoreFailure(setFailureType: Other.self)
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // finished
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of ``ignoreFailure(completeImmediately:)``.
    ///
    /// - Parameters:
    ///   - newFailureType: The new failure type; no such failure is ever sent.
    ///   - completeImmediately: Whether to finish when upstream fails.
    @inlinable public func ignoreFailure<NewFailure: Error>(
        setFailureType newFailureType: NewFailure.Type, completeImmediately: Bool = true
    ) -> AnyPublisher<Output, NewFailure> {
        self.catch { _ in Empty(completeImmediately: completeImmediately) }.eraseToAnyPublisher()
    }
}
