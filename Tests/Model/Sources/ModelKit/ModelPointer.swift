public import ModelCore

/// Stands in for the pointer to a cell of the drain: its address is a number that is the same in every run of the same
/// execution, and each access is checked for races and for use after the cell was freed.
public struct ModelPointer<Pointee> {
    public let address: UInt

    public init?(bitPattern: UInt) {
        if bitPattern == 0 { return nil }
        address = bitPattern
    }

    init(address: UInt) { self.address = address }

    public static func allocate(capacity: Int) -> Self { Self(address: model_allocate()) }

    public func initialize(to value: consuming Pointee) {
        model_heap_access(address, 1)
        ModelHeap.cells[Int(address / 8)] = value
    }

    public func deinitialize(count: Int) {
        model_heap_access(address, 1)
        // Released when nothing is being accessed.
        let old = ModelHeap.cells[Int(address / 8)]
        ModelHeap.cells[Int(address / 8)] = nil
        _ = old
    }

    public func deallocate() { model_free(address) }

    public var pointee: Pointee {
        get {
            model_heap_access(address, 0)
            return ModelHeap.cells[Int(address / 8)] as! Pointee
        }
        nonmutating set {
            model_heap_access(address, 1)
            ModelHeap.cells[Int(address / 8)] = newValue
        }
    }
}

enum ModelHeap {
    // It doesn't grow during an execution, which would look like a race of the library.
    nonisolated(unsafe) static var cells = [Any?](repeating: nil, count: 8192)
}

extension UInt {
    public init<Pointee>(bitPattern: ModelPointer<Pointee>) { self = bitPattern.address }
}
