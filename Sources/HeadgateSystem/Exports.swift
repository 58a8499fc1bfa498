@_exported public import Headgate
