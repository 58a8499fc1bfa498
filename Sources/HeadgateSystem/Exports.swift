@_exported public import Headgate
@_exported public import HeadgateFlow
