import HeadgateEngine

extension Publisher {
    // Disfavoured (D23), so that the two forms of `map` are told apart before the bodies of closures: a chain of inferred
    // closures after a `flatMap` is checked in a tenth of a second, and not at all otherwise.
    /// Publishes a property of each value.
    ///
    /// ```
    /// self      "a"--"bc"--|
    /// map       \.count
    ///           1----2-----|
    /// ```
    ///
    /// ```swift
    /// let cancellable = ["a", "bc"].publisher
    ///     .map(\.count)
    ///     .sink { print($0) }
    /// // 1
    /// // 2
    /// ```
    ///
    /// - **Demand**: forwarded unchanged.
    /// - **Completion**: forwarded unchanged.
    /// - **Threads**: upstream's: the property is read, and delivered, on the thread on which upstream delivers the
    ///   value.
    /// - **Complexity**: one access through the key path per value. Fused with adjacent operators.
    ///
    /// - Parameter keyPath: The property to publish.
    @inlinable @_disfavoredOverload
    @preconcurrency public func map<T>(_ keyPath: any KeyPath<Output, T> & Sendable) -> Publishers.MapKeyPath<Self, T> {
        Publishers.MapKeyPath(upstream: self, keyPath: keyPath)
    }

    /// Publishes two properties of each value, as a tuple.
    ///
    /// ```
    /// self      "a"---------"bc"--------|
    /// map       \.count, \.isEmpty
    ///           (1, false)--(2, false)--|
    /// ```
    ///
    /// ```swift
    /// let cancellable = ["a", "bc"].publisher
    ///     .map(\.count, \.isEmpty)
    ///     .sink { print($0, $1) }
    /// // 1 false
    /// // 2 false
    /// ```
    ///
    /// - **Demand**: forwarded unchanged.
    /// - **Completion**: forwarded unchanged.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: two accesses through key paths per value. Fused with adjacent operators.
    ///
    /// - Parameters:
    ///   - keyPath0: The first property to publish.
    ///   - keyPath1: The second property to publish.
    @preconcurrency @inlinable public func map<T0, T1>(
        _ keyPath0: any KeyPath<Output, T0> & Sendable, _ keyPath1: any KeyPath<Output, T1> & Sendable
    ) -> Publishers.MapKeyPath2<Self, T0, T1> {
        Publishers.MapKeyPath2(upstream: self, keyPath0: keyPath0, keyPath1: keyPath1)
    }

    /// Publishes three properties of each value, as a tuple.
    ///
    /// ```
    /// self      "a"-----------------|
    /// map       \.count, \.isEmpty, \.utf8.count
    ///           (1, false, 1)-------|
    /// ```
    ///
    /// ```swift
    /// let cancellable = ["a", "bc"].publisher
    ///     .map(\.count, \.isEmpty, \.utf8.count)
    ///     .sink { print($0, $1, $2) }
    /// // 1 false 1
    /// // 2 false 2
    /// ```
    ///
    /// - **Demand**: forwarded unchanged.
    /// - **Completion**: forwarded unchanged.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: three accesses through key paths per value. Fused with adjacent operators.
    ///
    /// - Parameters:
    ///   - keyPath0: The first property to publish.
    ///   - keyPath1: The second property to publish.
    ///   - keyPath2: The third property to publish.
    @preconcurrency @inlinable public func map<T0, T1, T2>(
        _ keyPath0: any KeyPath<Output, T0> & Sendable, _ keyPath1: any KeyPath<Output, T1> & Sendable,
        _ keyPath2: any KeyPath<Output, T2> & Sendable
    ) -> Publishers.MapKeyPath3<Self, T0, T1, T2> {
        Publishers.MapKeyPath3(upstream: self, keyPath0: keyPath0, keyPath1: keyPath1, keyPath2: keyPath2)
    }
}

extension Publishers {
    /// A publisher of a property of each upstream value.
    public struct MapKeyPath<Upstream: Publisher, Output>: _StepPublisher {
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The property to publish.
        public let keyPath: any KeyPath<Upstream.Output, Output> & Sendable

        @inlinable init(upstream: Upstream, keyPath: any KeyPath<Upstream.Output, Output> & Sendable) {
            self.upstream = upstream
            self.keyPath = keyPath
        }

        /// Serves a subscriber through this step and those before it.
        @inlinable @inline(__always) public var _stage: _MapStep<Upstream.Output, Upstream.Failure, Output> {
            _MapStep { [keyPath] in $0[keyPath: keyPath] }
        }
    }

    /// A publisher of two properties of each upstream value.
    public struct MapKeyPath2<Upstream: Publisher, Output0, Output1>: _StepPublisher {
        /// The type of the published values.
        public typealias Output = (Output0, Output1)
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The first property to publish.
        public let keyPath0: any KeyPath<Upstream.Output, Output0> & Sendable

        /// The second property to publish.
        public let keyPath1: any KeyPath<Upstream.Output, Output1> & Sendable

        @inlinable init(
            upstream: Upstream, keyPath0: any KeyPath<Upstream.Output, Output0> & Sendable,
            keyPath1: any KeyPath<Upstream.Output, Output1> & Sendable
        ) {
            self.upstream = upstream
            self.keyPath0 = keyPath0
            self.keyPath1 = keyPath1
        }

        /// Serves a subscriber through this step and those before it.
        @inlinable @inline(__always) public var _stage: _MapStep<Upstream.Output, Upstream.Failure, Output> {
            _MapStep { [keyPath0, keyPath1] in ($0[keyPath: keyPath0], $0[keyPath: keyPath1]) }
        }
    }

    /// A publisher of three properties of each upstream value.
    public struct MapKeyPath3<Upstream: Publisher, Output0, Output1, Output2>: _StepPublisher {
        /// The type of the published values.
        public typealias Output = (Output0, Output1, Output2)
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The first property to publish.
        public let keyPath0: any KeyPath<Upstream.Output, Output0> & Sendable

        /// The second property to publish.
        public let keyPath1: any KeyPath<Upstream.Output, Output1> & Sendable

        /// The third property to publish.
        public let keyPath2: any KeyPath<Upstream.Output, Output2> & Sendable

        @inlinable init(
            upstream: Upstream, keyPath0: any KeyPath<Upstream.Output, Output0> & Sendable,
            keyPath1: any KeyPath<Upstream.Output, Output1> & Sendable,
            keyPath2: any KeyPath<Upstream.Output, Output2> & Sendable
        ) {
            self.upstream = upstream
            self.keyPath0 = keyPath0
            self.keyPath1 = keyPath1
            self.keyPath2 = keyPath2
        }

        /// Serves a subscriber through this step and those before it.
        @inlinable @inline(__always) public var _stage: _MapStep<Upstream.Output, Upstream.Failure, Output> {
            _MapStep { [keyPath0, keyPath1, keyPath2] in
                ($0[keyPath: keyPath0], $0[keyPath: keyPath1], $0[keyPath: keyPath2])
            }
        }
    }
}

extension Publishers.MapKeyPath2: Sendable where Upstream: Sendable {}

extension Publishers.MapKeyPath3: Sendable where Upstream: Sendable {}

extension Publishers.MapKeyPath: Sendable where Upstream: Sendable {}
