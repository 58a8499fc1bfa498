import Headgate

// What is sent from several threads is Sendable only if its values are, with the trait and without.

final class Ledger { var sum = 0 }

actor Account {
    private let ledger = Ledger()

    func publish(_ channel: StreamChannel<Ledger, Never>) async throws { try await channel.send(ledger) }

    func emit(_ emitter: Emitter<Ledger, Never>) { emitter.send(ledger) }

    func create(_ subscriber: Publishers.Create<Ledger, Never>.Subscriber) { subscriber.send(ledger) }
}

func share(
    _ account: Account, _ channel: StreamChannel<Ledger, Never>, _ emitter: Emitter<Ledger, Never>,
    _ subscriber: Publishers.Create<Ledger, Never>.Subscriber
) async throws {
    try await account.publish(channel)
    await account.emit(emitter)
    await account.create(subscriber)
}

func share(_ account: Account, _ channel: StreamChannel<Int, Never>, _ emitter: Emitter<Int, Never>) {
    Task.detached { try await channel.send(1) }
    Task.detached { emitter.send(1) }
}
