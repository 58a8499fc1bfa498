@_exported public import HeadgateCombine
