#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension File {
    /// Prevents other files from taking the numbers of standard streams that the program was started without.
    ///
    /// A shell starts such a program with `>&-`. The next file or event queue that the program opens then gets the
    /// number of standard output, and printed text is written to it. After this call, reading or writing the missing
    /// stream fails with the code `EBADF`. Call it first in `main`.
    public static func guardStandardStreams() {
        for (number, access) in [(0, O_WRONLY), (1, O_RDONLY), (2, O_RDONLY)] as [(Int32, Int32)]
        where fcntl(number, F_GETFD) < 0 {
            // Takes the lowest free number, which is this one.
            #if canImport(Darwin)
                _ = Darwin.open("/dev/null", access)
            #elseif canImport(Musl)
                _ = Musl.open("/dev/null", access)
            #else
                _ = Glibc.open("/dev/null", access)
            #endif
        }
    }
}
