import HeadgateEngine

/// The failures of streams that were joined into one, which went on after each of them.
public struct CollectedFailures<Failure: Error>: Error {
    /// The failures, in the order in which they arrived: at least one.
    public let all: [Failure]

    @inlinable init(_ all: [Failure]) { self.all = all }

    /// The failure that arrived first.
    public var first: Failure { all[0] }
}

extension CollectedFailures: Equatable where Failure: Equatable {}

extension CollectedFailures: CustomStringConvertible {
    /// The failures as text.
    public var description: String { all.map { "\($0)" }.joined(separator: ", ") }
}

extension Publisher {
    /// Interleaves the values of this publisher with those of another, and reports failures after both have completed.
    ///
    /// ```
    /// self      1--2--x
    /// other     ---8-----9-----|
    /// merge     1--(28)--9-----x
    /// ```
    ///
    /// ```swift
    /// struct Broken: Error { let disk: Int }
    /// let first = Fail<String, Broken>(error: Broken(disk: 1))
    /// let second = ["a", "b"].publisher.setFailureType(to: Broken.self)
    /// let cancellable = first.mergeDelayingFailures(with: second)
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // a
    /// // b
    /// // failure(Broken(disk: 1))
    /// ```
    ///
    /// - **Demand**: that of `merge(with:)`.
    /// - **Completion**: finishes once both have finished. If one has failed or both have, fails with the collected
    ///   failures once the other has completed. If the subscriber cancels before that, ``Undeliverables`` receives them.
    /// - **Threads**: those of `merge(with:)`. The completion is delivered on the thread on which the last publisher
    ///   completes.
    /// - **Complexity**: constant time per value.
    ///
    /// - Parameter other: The other publisher.
    @inlinable public func mergeDelayingFailures<Other: Publisher<Output, Failure>>(
        with other: Other
    ) -> Publishers.MergeDelayingFailures<Self, Other> {
        Publishers.MergeDelayingFailures(self, other)
    }
}

extension Collection where Element: Publisher {
    /// Publishes the values of these publishers as they arrive, and reports failures after all have completed.
    ///
    /// ```swift
    /// struct Broken: Error { let disk: Int }
    /// let disks = (1...3).map { disk in
    ///     Just("disk \(disk)").tryMap { name in
    ///         if disk == 2 { throw Broken(disk: disk) }
    ///         return name
    ///     }
    /// }
    /// let cancellable = disks.mergeDelayingFailures()
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // disk 1
    /// // disk 3
    /// // failure(Broken(disk: 2))
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `mergeDelayingFailures(with:)` on a
    /// publisher. If the collection is empty, the publisher finishes at once.
    @inlinable public func mergeDelayingFailures() -> Publishers.MergeManyDelayingFailures<Element> {
        Publishers.MergeManyDelayingFailures(self)
    }
}

extension Publishers {
    /// A publisher that interleaves the values of two publishers, and reports failures after both have completed.
    public struct MergeDelayingFailures<A: Publisher, B: Publisher<A.Output, A.Failure>>: Publisher {
        /// The type of the published values.
        public typealias Output = A.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = CollectedFailures<A.Failure>

        /// The first publisher.
        public let a: A

        /// The second publisher.
        public let b: B

        /// Creates the publisher that `mergeDelayingFailures(with:)` returns.
        @inlinable public init(_ a: A, _ b: B) {
            self.a = a
            self.b = b
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let failures = FailureList<A.Failure>()
            let tail = DelayingTail<Output, Failure, Failure> { _ in failures.takeCompletion() }
            Publishers.Merge(FailureNoting(a, failures), FailureNoting(b, failures))
                .receive(subscriber: TailConduit(tail, subscriber))
        }
    }

    /// A publisher that interleaves the values of any number of publishers, and reports failures after all have
    /// completed.
    public struct MergeManyDelayingFailures<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = CollectedFailures<Upstream.Failure>

        /// The publishers.
        public let publishers: [Upstream]

        /// Creates a publisher that interleaves the values of the publishers in a sequence.
        @inlinable public init(_ publishers: some Swift.Sequence<Upstream>) {
            self.publishers = Array(publishers)
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let failures = FailureList<Upstream.Failure>()
            let tail = DelayingTail<Output, Failure, Failure> { _ in failures.takeCompletion() }
            Publishers.MergeMany(publishers.map { FailureNoting($0, failures) })
                .receive(subscriber: TailConduit(tail, subscriber))
        }
    }
}

extension Publishers.MergeDelayingFailures: Sendable where A: Sendable, B: Sendable {}

extension Publishers.MergeManyDelayingFailures: Sendable where Upstream: Sendable {}

extension Publishers.MergeDelayingFailures: Equatable where A: Equatable, B: Equatable {}

extension Publishers.MergeManyDelayingFailures: Equatable where Upstream: Equatable {}

/// The failures of the publishers that are joined, in the order of their arrival on any thread.
@usableFromInline final class FailureList<Failure: Error>: Sendable {
    @usableFromInline let unreported = Guarded<[Failure]>([])

    @inlinable init() {}

    // The stream has been cancelled before it could fail with them.
    deinit {
        for failure in unreported.withLock({ $0 }) { Undeliverable.note(.failure(failure)) }
    }

    @inlinable func append(_ failure: Failure) { unreported.withLock { $0.append(failure) } }

    /// How the joined stream completes.
    @inlinable func takeCompletion() -> Subscribers.Completion<CollectedFailures<Failure>> {
        let all = unreported.withLock { exchange(&$0, with: []) }
        return all.isEmpty ? .finished : .failure(CollectedFailures(all))
    }
}

/// Notes the failure of one of the publishers, and finishes in its place.
@usableFromInline struct FailureNoting<Upstream: Publisher>: Publisher {
    @usableFromInline typealias Output = Upstream.Output

    @usableFromInline typealias Failure = CollectedFailures<Upstream.Failure>

    @usableFromInline let upstream: Upstream

    @usableFromInline let failures: FailureList<Upstream.Failure>

    @inlinable init(_ upstream: Upstream, _ failures: FailureList<Upstream.Failure>) {
        self.upstream = upstream
        self.failures = failures
    }

    @inlinable var _soleValue: Output? { upstream._soleValue }

    @inlinable func receive(subscriber: some Subscriber<Output, Failure>) {
        let tail = DelayingTail<Output, Upstream.Failure, Failure> { [failures] completion in
            if case .failure(let failure) = completion { failures.append(failure) }
            return .finished
        }
        upstream.receive(subscriber: TailConduit(tail, subscriber))
    }
}

/// Forwards values, and ends the stream in another way than upstream does.
@usableFromInline struct DelayingTail<Input, InputFailure: Error, Failure: Error>: Tail {
    @usableFromInline let complete: (Subscribers.Completion<InputFailure>) -> Subscribers.Completion<Failure>

    @inlinable init(_ complete: @escaping (Subscribers.Completion<InputFailure>) -> Subscribers.Completion<Failure>) {
        self.complete = complete
    }

    @inlinable var name: StaticString { "DelayingFailures" }

    @inlinable func receive(_ input: Input) -> Input? { input }

    @inlinable func completion(for completion: Subscribers.Completion<InputFailure>) -> Subscribers.Completion<Failure>
    {
        complete(completion)
    }
}
