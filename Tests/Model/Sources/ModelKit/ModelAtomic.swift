public import ModelCore
public import Synchronization

/// Stands in for `Synchronization.Atomic`: each operation is a scheduling point of the search.
public struct ModelAtomic<Value: AtomicRepresentable>: ~Copyable, @unchecked Sendable {
    let location: OpaquePointer

    public init(_ value: consuming Value, file: StaticString = #fileID, line: Int32 = #line) {
        location = model_location_create(Self.bits(value), file.characters, line)
    }

    deinit { model_location_destroy(location) }

    static func bits(_ value: Value) -> UInt64 {
        var word: UInt64 = 0
        withUnsafeMutableBytes(of: &word) { $0.storeBytes(of: value, as: Value.self) }
        return word
    }

    static func value(_ bits: UInt64) -> Value {
        withUnsafeBytes(of: bits) { $0.loadUnaligned(as: Value.self) }
    }

    public func load(
        ordering: AtomicLoadOrdering, file: StaticString = #fileID, line: Int32 = #line, column: Int32 = #column
    ) -> Value {
        Self.value(model_load(location, ordering.code, model_place(file, line, column)))
    }

    public func store(
        _ desired: consuming Value, ordering: AtomicStoreOrdering, file: StaticString = #fileID, line: Int32 = #line,
        column: Int32 = #column
    ) {
        model_store(location, Self.bits(desired), ordering.code, model_place(file, line, column))
    }

    public func exchange(
        _ desired: consuming Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID, line: Int32 = #line,
        column: Int32 = #column
    ) -> Value {
        update(MODEL_EXCHANGE, desired, ordering, model_place(file, line, column), isSigned: false)
    }

    public func compareExchange(
        expected: consuming Value, desired: consuming Value, ordering: AtomicUpdateOrdering,
        file: StaticString = #fileID, line: Int32 = #line, column: Int32 = #column
    ) -> (exchanged: Bool, original: Value) {
        compareExchange(expected, desired, ordering, model_place(file, line, column), isWeak: false)
    }

    public func weakCompareExchange(
        expected: consuming Value, desired: consuming Value, ordering: AtomicUpdateOrdering,
        file: StaticString = #fileID, line: Int32 = #line, column: Int32 = #column
    ) -> (exchanged: Bool, original: Value) {
        compareExchange(expected, desired, ordering, model_place(file, line, column), isWeak: true)
    }

    func compareExchange(
        _ expected: Value, _ desired: Value, _ ordering: AtomicUpdateOrdering, _ place: model_place, isWeak: Bool
    ) -> (exchanged: Bool, original: Value) {
        var old: UInt64 = 0
        let isExchanged = model_compare_exchange(
            location, Self.bits(expected), Self.bits(desired), isWeak ? 1 : 0, ordering.code, &old, place)
        return (isExchanged != 0, Self.value(old))
    }

    func update(
        _ operation: Int, _ operand: Value, _ ordering: AtomicUpdateOrdering, _ place: model_place, isSigned: Bool
    ) -> Value {
        Self.value(
            model_update(
                location, Int32(operation), Self.bits(operand), Int32(MemoryLayout<Value>.size), isSigned ? 1 : 0,
                ordering.code, place))
    }
}

extension ModelAtomic {
    /// Sleeps until another thread wakes this one, or the time passes, unless the value isn't the expected one: as a futex.
    ///
    /// - Returns: Whether it was woken.
    public func sleep(while expected: Value) -> Bool { model_sleep(location, Self.bits(expected)) != 0 }

    /// Wakes one of the threads that sleep here.
    public func wake() { model_wake(location) }
}

extension ModelAtomic where Value: FixedWidthInteger {
    @discardableResult public func add(
        _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID, line: Int32 = #line,
        column: Int32 = #column
    ) -> (oldValue: Value, newValue: Value) {
        let old = update(MODEL_ADD, operand, ordering, model_place(file, line, column), isSigned: Value.isSigned)
        return (old, old &+ operand)
    }

    @discardableResult public func wrappingAdd(
        _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID, line: Int32 = #line,
        column: Int32 = #column
    ) -> (oldValue: Value, newValue: Value) {
        add(operand, ordering: ordering, file: file, line: line, column: column)
    }

    @discardableResult public func subtract(
        _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID, line: Int32 = #line,
        column: Int32 = #column
    ) -> (oldValue: Value, newValue: Value) {
        let old = update(MODEL_SUB, operand, ordering, model_place(file, line, column), isSigned: Value.isSigned)
        return (old, old &- operand)
    }

    @discardableResult public func wrappingSubtract(
        _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID, line: Int32 = #line,
        column: Int32 = #column
    ) -> (oldValue: Value, newValue: Value) {
        subtract(operand, ordering: ordering, file: file, line: line, column: column)
    }

    @discardableResult public func bitwiseOr(
        _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID, line: Int32 = #line,
        column: Int32 = #column
    ) -> (oldValue: Value, newValue: Value) {
        let old = update(MODEL_OR, operand, ordering, model_place(file, line, column), isSigned: Value.isSigned)
        return (old, old | operand)
    }

    @discardableResult public func bitwiseAnd(
        _ operand: Value, ordering: AtomicUpdateOrdering, file: StaticString = #fileID, line: Int32 = #line,
        column: Int32 = #column
    ) -> (oldValue: Value, newValue: Value) {
        let old = update(MODEL_AND, operand, ordering, model_place(file, line, column), isSigned: Value.isSigned)
        return (old, old & operand)
    }
}

extension StaticString {
    var characters: UnsafePointer<CChar> { UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self) }
}

extension model_place {
    init(_ file: StaticString, _ line: Int32, _ column: Int32) {
        self.init(file: file.characters, line: line, column: column)
    }
}

extension AtomicLoadOrdering {
    var code: Int32 { Int32(self == .relaxed ? MODEL_RELAXED : self == .acquiring ? MODEL_ACQUIRE : MODEL_SEQ_CST) }
}

extension AtomicStoreOrdering {
    var code: Int32 { Int32(self == .relaxed ? MODEL_RELAXED : self == .releasing ? MODEL_RELEASE : MODEL_SEQ_CST) }
}

extension AtomicUpdateOrdering {
    var code: Int32 {
        switch self {
        case .relaxed: Int32(MODEL_RELAXED)
        case .acquiring: Int32(MODEL_ACQUIRE)
        case .releasing: Int32(MODEL_RELEASE)
        case .acquiringAndReleasing: Int32(MODEL_ACQ_REL)
        default: Int32(MODEL_SEQ_CST)
        }
    }
}
