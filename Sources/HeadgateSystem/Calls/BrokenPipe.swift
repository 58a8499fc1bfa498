import HeadgateLibC

/// Makes a call that may write to a pipe without a reader, and discards the `SIGPIPE` that this raises.
///
/// The signal is sent to the writing thread, so blocking it on this thread during the call is enough. The process's
/// disposition of `SIGPIPE` is unchanged, which matters to the programs it executes.
package func withoutBrokenPipeSignal(_ body: () -> Int) -> Int {
    var brokenPipe = sigset_t()
    sigemptyset(&brokenPipe)
    sigaddset(&brokenPipe, SIGPIPE)
    var before = sigset_t()
    pthread_sigmask(SIG_BLOCK, &brokenPipe, &before)
    let result = body()
    let code = errno
    if result < 0, code == EPIPE, sigismember(&before, SIGPIPE) == 0 {
        #if canImport(Darwin)
            var pending = sigset_t()
            sigpending(&pending)
            var number: Int32 = 0
            if sigismember(&pending, SIGPIPE) == 1 { sigwait(&brokenPipe, &number) }
        #else
            var atOnce = timespec()
            while sigtimedwait(&brokenPipe, nil, &atOnce) < 0, errno == EINTR {}
        #endif
    }
    pthread_sigmask(SIG_SETMASK, &before, nil)
    errno = code
    return result
}
