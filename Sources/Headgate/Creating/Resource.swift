import HeadgateEngine

extension Publishers {
    /// Publishes the values read from a resource, which is opened at the first demand and closed exactly once.
    ///
    /// ```
    /// requests   ---^2-----^1---^1
    /// file       ---[-----------]
    /// resource   ---(ab)---c----|
    /// ```
    ///
    /// ```swift
    /// let lines = Publishers.resource {
    ///     print("open")
    ///     return ["a", "b"].makeIterator()
    /// } read: { file in
    ///     file.next()
    /// } close: { _ in
    ///     print("close")
    /// }
    /// let listener = lines.sink { print($0) }
    /// // open
    /// // a
    /// // b
    /// // close
    /// ```
    ///
    /// The resource is closed when `read` has returned `nil` or thrown, before the terminal event; after `cancel()`,
    /// once a running read or delivery has returned; and when the subscription is released. If `open` throws, there is
    /// nothing to close.
    ///
    /// - **Demand**: `read` is called once per requested value, on the requesting thread.
    /// - **Completion**: when `read` returns `nil`. An error thrown by `open` or `read` becomes the failure.
    /// - **Threads**: the closures are called, and values delivered, on the requesting thread; `close` also on the
    ///   thread that cancels or releases the subscription. What another thread requests meanwhile is read by the one
    ///   that is delivering.
    /// - **Complexity**: one call of `read` per value.
    ///
    /// - Parameters:
    ///   - open: Opens the resource, once per subscriber that requests values.
    ///   - read: Reads the next value; returns `nil` at the end.
    ///   - close: Closes the resource.
    @preconcurrency @inlinable public static func resource<Resource, Element, Failure: Error>(
        open: @escaping @Sendable () throws(Failure) -> Resource,
        read: @escaping @Sendable (inout Resource) throws(Failure) -> Element?,
        close: @escaping @Sendable (Resource) -> Void
    ) -> ReadResource<Resource, Element, Failure> {
        ReadResource(open: open, read: read, close: close)
    }

    /// A publisher of the values read from a resource.
    public struct ReadResource<Resource, Element, Failure: Error>: Publisher {
        /// The type of the published values.
        public typealias Output = Element

        /// Opens the resource.
        public let open: @Sendable () throws(Failure) -> Resource

        /// Reads the next value.
        public let read: @Sendable (inout Resource) throws(Failure) -> Element?

        /// Closes the resource.
        public let close: @Sendable (Resource) -> Void

        /// Creates the publisher that `resource(open:read:close:)` returns.
        @preconcurrency @inlinable public init(
            open: @escaping @Sendable () throws(Failure) -> Resource,
            read: @escaping @Sendable (inout Resource) throws(Failure) -> Element?,
            close: @escaping @Sendable (Resource) -> Void
        ) {
            self.open = open
            self.read = read
            self.close = close
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Element, Failure>) {
            let readings = ResourceReadings(resource: self)
            Publishers.Sequence(sequence: readings).dematerialize()
                .receive(subscriber: EnclosingConduit(name: "Resource", Ownership(), subscriber))
        }
    }
}

extension Publishers.ReadResource: Sendable {}

@usableFromInline struct ResourceReadings<Resource, Element, Failure: Error>: Sequence {
    @usableFromInline let resource: Publishers.ReadResource<Resource, Element, Failure>

    @inlinable init(resource: Publishers.ReadResource<Resource, Element, Failure>) { self.resource = resource }

    @inlinable func makeIterator() -> ResourceReader<Resource, Element, Failure> { ResourceReader(resource) }
}

/// Reads a resource, and closes it when no further read is possible.
@usableFromInline final class ResourceReader<Resource, Element, Failure: Error>: IteratorProtocol {
    @usableFromInline enum Phase {
        case unopened
        case opened(Resource)
        case closed
    }

    @usableFromInline let source: Publishers.ReadResource<Resource, Element, Failure>

    // Confined to the puller, and then to the thread that releases it.
    @exclusivity(unchecked) @usableFromInline var phase = Phase.unopened

    @inlinable init(_ source: Publishers.ReadResource<Resource, Element, Failure>) { self.source = source }

    deinit { close() }

    @inlinable func next() -> Event<Element, Failure>? {
        do throws(Failure) {
            if case .unopened = phase { phase = .opened(try source.open()) }
            guard case .opened(var resource) = phase else { return nil }
            // Moved out during the read, so that a value type is mutated in place.
            phase = .unopened
            defer { phase = .opened(resource) }
            if let element = try source.read(&resource) { return .value(element) }
        } catch {
            close()
            return .failure(error)
        }
        close()
        return nil
    }

    @usableFromInline func close() {
        if case .opened(let resource) = exchange(&phase, with: .closed) { source.close(resource) }
    }
}
