public import ModelCore

/// A plain variable of a scenario that threads share: any two accesses that aren't ordered are a data race, unless both
/// read.
public final class ModelCell<Value>: @unchecked Sendable {
    let cell: OpaquePointer
    var stored: Value

    public init(_ value: Value, _ name: StaticString = "a variable of the scenario") {
        stored = value
        cell = model_cell_create(name.characters)
        model_cell_access(cell, 1)
    }

    deinit { model_cell_destroy(cell) }

    public var value: Value {
        get {
            model_cell_access(cell, 0)
            return stored
        }
        set {
            model_cell_access(cell, 1)
            stored = newValue
        }
    }
}

/// A variable that isn't checked: the scenario's own notes.
public final class Box<Value>: @unchecked Sendable {
    public var value: Value

    public init(_ value: Value) { self.value = value }
}
