#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension File {
    /// Sees to it that nothing else is opened in the place of a standard stream that the program was started without.
    ///
    /// A shell starts a program like that with `>&-`. The next file or event queue that the program opens then gets the
    /// number of standard output, and what is printed goes there. After this call, reading and writing the missing stream
    /// fails with the code `EBADF`. Make it first of all in `main`.
    public static func guardStandardStreams() {
        for (number, access) in [(0, O_WRONLY), (1, O_RDONLY), (2, O_RDONLY)] as [(Int32, Int32)]
        where fcntl(number, F_GETFD) < 0 {
            // Takes the lowest number that is free, which is this one.
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
