import Headgate

extension Workload {
    /// Operators that handle failures: while there is none, and for each failure.
    static var recovering: [Workload] {
        [
            pulled("catch", reach: 157) { $0.setFailureType(to: Broken.self).catch { _ in Just(1) } },
            pulled("catch-where", reach: 157) {
                $0.setFailureType(to: Broken.self).catch(where: { _ in true }) { Fail(error: $0) }
            },
            pulled("try-catch", reach: 157) { $0.setFailureType(to: Broken.self).tryCatch { _ in Just(1) } },
            pulled("fallback", reach: 157) { $0.setFailureType(to: Broken.self).fallback(to: Just(1)) },
            pulled("ignore-failure", reach: 151) { $0.setFailureType(to: Broken.self).ignoreFailure() },
            pulled("assert-no-failure", reach: 43) { $0.setFailureType(to: Broken.self).assertNoFailure() },
            pulled("retry", reach: 157) { $0.setFailureType(to: Broken.self).retry(3) },
            pulled("retry-by-policy", reach: 157) {
                $0.setFailureType(to: Broken.self).retry(.immediate(retries: 3), scheduler: ImmediateScheduler.shared)
            },
            pulled("retry-when", reach: 156) { $0.setFailureType(to: Broken.self).retryWhen { $0 } },
            lives("retry-of-failure", reach: 1420) { Fail<Int, Broken>(error: Broken()).retry($0) },
            lives("retry-by-policy-of-failure", reach: 7200) {
                Fail<Int, Broken>(error: Broken()).retry(.immediate(retries: $0), scheduler: ImmediateScheduler.shared)
            },
            pulled("circuit-breaker", reach: 95) {
                $0.setFailureType(to: (any Error).self)
                    .circuitBreaker(CircuitBreaker(scheduler: ImmediateScheduler.shared))
            },
        ]
    }
}
