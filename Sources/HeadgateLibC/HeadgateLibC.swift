// The C library, whatever the system calls it; its functions are also known as those of this module, such as `HeadgateLibC.open`.
#if canImport(Darwin)
    @_exported public import Darwin
#elseif canImport(Musl)
    @_exported public import Musl
#elseif canImport(Glibc)
    @_exported public import Glibc
#endif
