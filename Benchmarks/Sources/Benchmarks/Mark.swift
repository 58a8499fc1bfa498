/// Has valgrind, which is told this name, write down what has been counted.
@_silgen_name("benchmark_mark")
@_optimize(none)
@inline(never)
func mark() { Opaque.add(0) }
