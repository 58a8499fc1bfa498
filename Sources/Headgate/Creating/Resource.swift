import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publishers {
    /// Publishes what is read from a resource, which is opened at the first demand and closed exactly once.
    ///
    /// ```
    /// subscriber   ---^2-----^1---
    /// resource     ---o(ab)--c|
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
    /// The resource is closed when `read` has returned `nil` or thrown, before the stream ends; after `cancel()`, when a
    /// read or a delivery that is under way has returned; and when the subscription is let go of. If `open` throws, there
    /// is nothing to close.
    ///
    /// - **Demand**: `read` is called once for each value that is requested, on the thread that requests it.
    /// - **Completion**: when `read` returns `nil`. An error that `open` or `read` throws is the failure.
    /// - **Complexity**: one call of `read` per value.
    ///
    /// - Parameters:
    ///   - open: Makes the resource, for each subscriber that requests values.
    ///   - read: Reads the next value; `nil` at the end.
    ///   - close: Ends the use of the resource.
    @inlinable public static func resource<Resource, Element, Failure: Error>(
        open: @escaping FailingStreamClosure<Resource, Failure>,
        read: @escaping FailingUpdatingStreamClosure<Resource, Element?, Failure>,
        close: @escaping StreamClosure<Resource, Void>
    ) -> ReadResource<Resource, Element, Failure> {
        ReadResource(open: open, read: read, close: close)
    }

    /// A publisher of what is read from a resource.
    public struct ReadResource<Resource, Element, Failure: Error>: Publisher {
        /// What is read.
        public typealias Output = Element

        /// Makes the resource.
        public let open: FailingStreamClosure<Resource, Failure>

        /// Reads the next value.
        public let read: FailingUpdatingStreamClosure<Resource, Element?, Failure>

        /// Ends the use of the resource.
        public let close: StreamClosure<Resource, Void>

        /// Makes the publisher that `resource(open:read:close:)` returns.
        @inlinable public init(
            open: @escaping FailingStreamClosure<Resource, Failure>,
            read: @escaping FailingUpdatingStreamClosure<Resource, Element?, Failure>,
            close: @escaping StreamClosure<Resource, Void>
        ) {
            self.open = open
            self.read = read
            self.close = close
        }

        /// Connects a subscriber to a resource of its own.
        @inlinable public func receive(subscriber: some Subscriber<Element, Failure>) {
            let readings = ResourceReadings(resource: self)
            ResultPublisher(Publishers.Sequence(sequence: readings)).receive(
                subscriber: OwningSubscriber(name: "Resource", subscriber))
        }
    }
}

extension Publishers.ReadResource: StrictlySendable {}

@usableFromInline struct ResourceReadings<Resource, Element, Failure: Error>: Sequence {
    @usableFromInline let resource: Publishers.ReadResource<Resource, Element, Failure>

    @inlinable init(resource: Publishers.ReadResource<Resource, Element, Failure>) { self.resource = resource }

    @inlinable func makeIterator() -> ResourceReader<Resource, Element, Failure> { ResourceReader(resource) }
}

/// Reads a resource, and closes it when nobody can read any more.
@usableFromInline final class ResourceReader<Resource, Element, Failure: Error>: IteratorProtocol {
    @usableFromInline enum Phase {
        case unopened
        case opened(Resource)
        case closed
    }

    @usableFromInline let source: Publishers.ReadResource<Resource, Element, Failure>

    // Used by the one who pulls, then by the one who lets go; hence unchecked.
    @exclusivity(unchecked) @usableFromInline var phase = Phase.unopened

    @inlinable init(_ source: Publishers.ReadResource<Resource, Element, Failure>) { self.source = source }

    deinit { close() }

    @inlinable func next() -> Result<Element, Failure>? {
        do throws(Failure) {
            if case .unopened = phase { phase = .opened(try source.open()) }
            guard case .opened(var resource) = phase else { return nil }
            // Taken out while it is read, so that a value type is changed where it lies.
            phase = .unopened
            defer { phase = .opened(resource) }
            if let element = try source.read(&resource) { return .success(element) }
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
