@_exported public import HeadgateCore
