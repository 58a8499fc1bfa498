@_exported import HeadgateSystem
