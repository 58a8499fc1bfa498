import HeadgateCombine
import HeadgateCore
import HeadgateEngine

/// The use of the resource that a publisher acquires, published once.
@usableFromInline struct Acquiring<Acquire: Publisher, Use: Publisher>: Publisher {
    @usableFromInline typealias Output = Use

    @usableFromInline typealias Failure = Acquire.Failure

    @usableFromInline let acquire: Acquire

    @usableFromInline let use: (Acquire.Output) -> Use

    @inlinable init(_ acquire: Acquire, _ use: @escaping (Acquire.Output) -> Use) {
        self.acquire = acquire
        self.use = use
    }

    @inlinable func receive(subscriber: some Subscriber<Use, Acquire.Failure>) {
        acquire.receive(subscriber: AcquisitionConduit(use, to: subscriber))
    }
}
