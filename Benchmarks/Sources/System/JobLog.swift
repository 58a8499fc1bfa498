import Dispatch
import HeadgateSystem

/// Clients that log jobs on disk, each one after the other, and those that wait at the same time together.
struct JobLog: Sendable {
    let path: String
    let clients: Int
    let jobs: Int

    /// With a file that stays open.
    func append() {
        let log = FileAppender(File(path))
        run { _ = try? await log.append($0) }
    }

    /// With a file that is opened for each commit, as a program does that has only `write(to:)`.
    func reopen() {
        let log = Committer(file: File(path))
        run { await log.append($0) }
    }

    private func run(_ append: @escaping @Sendable (Bytes) async -> Void) {
        let hasEnded = DispatchSemaphore(value: 0)
        Task {
            await withTaskGroup(of: Void.self) { group in
                for client in 0..<clients {
                    group.addTask { for job in 0..<jobs { await append(Bytes("PUT \(client) \(job)\n")) } }
                }
            }
            hasEnded.signal()
        }
        hasEnded.wait()
    }

    private actor Committer {
        private let file: File
        private var waiting: [(Bytes, CheckedContinuation<Void, Never>)] = []
        private var isBusy = false

        init(file: File) { self.file = file }

        func append(_ bytes: Bytes) async {
            await withCheckedContinuation { continuation in
                waiting.append((bytes, continuation))
                if isBusy { return }
                isBusy = true
                Task { await commit() }
            }
        }

        private func commit() async {
            while !waiting.isEmpty {
                let batch = waiting
                waiting = []
                _ = await batch.map(\.0).publisher.write(to: file, mode: .append, durability: .onDisk)
                for (_, continuation) in batch { continuation.resume() }
            }
            isBusy = false
        }
    }
}
