/// Ties the lifetime of a view to the value that owns its memory.
///
/// The compiler can't see that a reference inside the value owns it.
@unsafe @_unsafeNonescapableResult @inlinable @inline(__always) @_lifetime(borrow source)
func tied<View: ~Copyable & ~Escapable, Owner>(_ view: consuming View, to source: borrowing Owner) -> View { view }
