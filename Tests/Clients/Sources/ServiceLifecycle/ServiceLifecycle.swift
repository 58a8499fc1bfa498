import Synchronization

// In the place of ServiceLifecycle, with the form of what the page ServerLibraries.md uses of it.

public protocol Service: Sendable {
    func run() async throws
}

public final class ServiceGroup: Sendable {
    @TaskLocal static var current: ServiceGroup?

    private let services: [any Service]
    private let handlers = Mutex<[@Sendable () -> Void]>([])

    public init(services: [any Service]) { self.services = services }

    public func run() async throws {
        try await ServiceGroup.$current.withValue(self) {
            try await withThrowingTaskGroup { group in
                for service in services { group.addTask { try await service.run() } }
                try await group.waitForAll()
            }
        }
    }

    public func triggerGracefulShutdown() async {
        for handle in handlers.withLock({ $0 }) { handle() }
    }

    func onShutdown(_ handle: @escaping @Sendable () -> Void) { handlers.withLock { $0.append(handle) } }
}

public func withGracefulShutdownHandler<Result>(
    operation: () async throws -> Result, onGracefulShutdown handler: @escaping @Sendable () -> Void
) async rethrows -> Result {
    ServiceGroup.current?.onShutdown(handler)
    return try await operation()
}
