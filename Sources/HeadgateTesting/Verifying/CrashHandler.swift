import HeadgateCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Prints the scripts that run when a signal ends the process, and then lets the signal act as it would have.
///
/// Everything that runs in a signal handler here calls only functions that are safe there. In particular nothing is
/// allocated, and no lock is taken.
enum CrashHandler {
    private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE]

    /// The actions before these, by number of the signal.
    fileprivate nonisolated(unsafe) static let previous: UnsafeMutablePointer<sigaction> = {
        let actions = UnsafeMutablePointer<sigaction>.allocate(capacity: 32)
        actions.initialize(repeating: sigaction(), count: 32)
        return actions
    }()

    private static let installation: Void = {
        // The first call of a function may allocate; so it is made now, where there is nothing to print to.
        CrashNotes.write(to: -1)
        _ = CrashNotes.isEmpty
        for signal in signals {
            var action = sigaction()
            action.sa_flags = Int32(SA_SIGINFO) | Int32(SA_ONSTACK)
            action.setHandler(handleCrash)
            sigaction(signal, &action, previous + Int(signal))
        }
    }()

    /// Installs the handlers, once, and gives the calling thread a stack on which they can run when its own is full.
    static func install() {
        installation
        SignalStack.provide()
    }

    /// Writes text to a file descriptor; safe in a signal handler.
    static func write(_ text: StaticString, to descriptor: Int32) {
        write(text.utf8Start, text.utf8CodeUnitCount, to: descriptor)
    }

    /// Writes bytes to a file descriptor; safe in a signal handler.
    static func write(_ bytes: UnsafePointer<UInt8>, _ count: Int, to descriptor: Int32) {
        #if canImport(Darwin)
            _ = Darwin.write(descriptor, bytes, count)
        #elseif canImport(Glibc)
            _ = Glibc.write(descriptor, bytes, count)
        #elseif canImport(Musl)
            _ = Musl.write(descriptor, bytes, count)
        #endif
    }
}

private func handleCrash(
    _ signal: Int32, _ information: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeMutableRawPointer?
) {
    sigaction(signal, CrashHandler.previous + Int(signal), nil)
    if !CrashNotes.isEmpty {
        CrashHandler.write("\nHeadgateTesting: the process was ended while this ran:", to: STDERR_FILENO)
        CrashNotes.write(to: STDERR_FILENO)
    }
    // A fault occurs again when its instruction is executed again, with all that the previous handler wants to know. A
    // signal that was sent has to be sent again; and so has SIGTRAP, whose instruction may already be past.
    let isFault = signal == SIGILL || signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE
    if isFault, let information, information.pointee.si_code > 0 { return }
    raise(signal)
}

extension sigaction {
    fileprivate mutating func setHandler(
        _ handler:
            @escaping @convention(c) (
                Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?
            ) -> Void
    ) {
        #if canImport(Darwin)
            __sigaction_u.__sa_sigaction = handler
        #elseif canImport(Glibc)
            __sigaction_handler.sa_sigaction = handler
        #elseif canImport(Musl)
            __sa_handler.sa_sigaction = handler
        #endif
    }
}

/// A stack for signal handlers, without which a stack overflow ends the process in silence.
private enum SignalStack {
    private static let size = 1 << 16

    /// Frees a thread's stack at its end.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { memory in
            let memory: UnsafeMutableRawPointer? = memory
            var none = stack_t()
            none.ss_flags = Int32(SS_DISABLE)
            sigaltstack(&none, nil)
            memory?.deallocate()
        }
        return key
    }()

    /// Gives the calling thread one, unless it has one already.
    static func provide() {
        var current = stack_t()
        guard sigaltstack(nil, &current) == 0, current.ss_flags & Int32(SS_DISABLE) != 0 else { return }
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        var stack = stack_t()
        stack.ss_sp = memory
        stack.ss_size = .init(size)
        if sigaltstack(&stack, nil) == 0 { pthread_setspecific(key, memory) } else { memory.deallocate() }
    }
}
