import HeadgateCombine
import HeadgateCore

extension Publisher {
    /// Ends the stream where it fails, without the failure; or leaves it open for ever.
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
    /// - **Demand**: passed on as it is.
    /// - **Completion**: finishes with upstream; where upstream fails, finishes or says nothing more.
    /// - **Complexity**: constant time a value.
    ///
    /// - Parameter completeImmediately: Whether to finish where upstream fails.
    @inlinable public func ignoreFailure(completeImmediately: Bool = true) -> AnyPublisher<Output, Never>
    where Self: StrictlySendable {
        self.catch { _ in Empty(completeImmediately: completeImmediately) }.eraseToAnyPublisher()
    }

    /// Ends the stream where it fails, without the failure, or leaves it open for ever; and declares another kind of failure.
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
    /// **Demand**, **Completion** and **Complexity** are those of ``ignoreFailure(completeImmediately:)``.
    ///
    /// - Parameters:
    ///   - newFailureType: The kind of failure that is declared; none is ever sent.
    ///   - completeImmediately: Whether to finish where upstream fails.
    @inlinable public func ignoreFailure<NewFailure: Error>(
        setFailureType newFailureType: NewFailure.Type, completeImmediately: Bool = true
    ) -> AnyPublisher<Output, NewFailure> where Self: StrictlySendable {
        self.catch { _ in Empty(completeImmediately: completeImmediately) }.eraseToAnyPublisher()
    }
}
