import Glibc
import HeadgateSystem

/// Whether the kernel has no room for more in a pipe.
func isFull(_ pipe: Descriptor) -> Bool {
    var request = pollfd(fd: pipe.number, events: Int16(POLLOUT), revents: 0)
    return poll(&request, 1, 0) == 0
}

/// Whether everything that was written into a pipe has been read from it.
func isEmpty(_ pipe: Descriptor) -> Bool {
    var request = pollfd(fd: pipe.number, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, 0) == 0
}

extension SystemCalls {
    /// Creates a pipe with two non-blocking ends.
    func pipe() throws(SystemError) -> (reading: Descriptor, writing: Descriptor) {
        let (reading, writing) = try childPipe(named: "pipe", weRead: true)
        try makeNonBlocking(writing)
        return (reading, writing)
    }
}
