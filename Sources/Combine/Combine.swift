// Apple's module of this name also brings Foundation's publishers.
@_exported public import HeadgateCombine
@_exported public import HeadgateFoundation
