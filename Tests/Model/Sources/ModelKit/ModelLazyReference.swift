public import Synchronization

/// What `AtomicLazyReference` does, with the orderings that it documents.
public struct ModelLazyReference<Instance: AnyObject>: ~Copyable, @unchecked Sendable {
    private let word: ModelAtomic<UInt>

    public init(file: StaticString = #fileID, line: Int32 = #line) {
        word = ModelAtomic(0, file: file, line: line)
    }

    // Nobody else uses it any more, so the order in which this is loaded makes no difference.
    deinit { Self.place(word.load(ordering: .relaxed))?.release() }

    private static func place(_ word: UInt) -> Unmanaged<Instance>? {
        UnsafeRawPointer(bitPattern: word).map { Unmanaged.fromOpaque($0) }
    }

    public func load(
        file: StaticString = #fileID, line: Int32 = #line, column: Int32 = #column
    ) -> Instance? {
        Self.place(word.load(ordering: .acquiring, file: file, line: line, column: column))?.takeUnretainedValue()
    }

    public func storeIfNil(
        _ desired: consuming Instance, file: StaticString = #fileID, line: Int32 = #line, column: Int32 = #column
    ) -> Instance {
        let new = Unmanaged.passRetained(desired)
        let (isStored, old) = word.compareExchange(
            expected: 0, desired: UInt(bitPattern: new.toOpaque()), ordering: .acquiringAndReleasing, file: file,
            line: line, column: column)
        if isStored { return new.takeUnretainedValue() }
        new.release()
        return Self.place(old).unsafelyUnwrapped.takeUnretainedValue()
    }
}
