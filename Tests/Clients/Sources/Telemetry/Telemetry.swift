import HeadgateFlow
import HeadgateSystem
import Logging
import Metrics
import NIOCore
import NIOPosix
import ServiceLifecycle

// The program of the page ServerLibraries.md, which contains its lines.

/// A measurement, as in `temperature 21`.
struct Measurement: Sendable {
    let name: String
    let value: Int

    init?(_ line: String) {
        let words = line.split(separator: " ")
        guard words.count == 2, let value = Int(words[1]) else { return nil }
        name = String(words[0])
        self.value = value
    }
}

/// Takes measurements from clients that begin with `send`, and passes them on to those that begin with another word.
struct Telemetry: Service {
    let port: Int
    let logger: Logger
    let flow = Flow("telemetry")
    let measurements = StreamChannel<Measurement, Never>(capacity: 64)

    /// The sum of each second, by name.
    var sums: some Publisher<[String: Int], Never> {
        measurements
            .window(within: .seconds(1), unread: .hold)
            .concatMap { second in
                second.reduce(into: [:]) { $0[$1.name, default: 0] += $1.value }
            }
            .stage("sums", in: flow)
    }

    /// What a client has asked for.
    func lines(for request: String?) -> AnyPublisher<String, Never> {
        switch request {
        case "all":
            measurements.stage("all", in: flow).map { "\($0.name) \($0.value)" }.eraseToAnyPublisher()
        case "latest":
            measurements.onBackpressureBuffer(limit: 100, whenFull: .dropOldest)
                .stage("latest", in: flow).map { "\($0.name) \($0.value)" }.eraseToAnyPublisher()
        case "sums":
            sums.map { sums in sums.map { "\($0) \($1)" }.sorted().joined(separator: ", ") }.eraseToAnyPublisher()
        default:
            Just("write send, all, latest or sums").eraseToAnyPublisher()
        }
    }

    func answer(_ client: NIOAsyncChannel<ByteBuffer, ByteBuffer>, until off: KillSwitch) async {
        do {
            try await client.executeThenClose { inbound, outbound in
                let reader = inbound.publisher.stopped(by: off).map { Bytes($0.readableBytesView) }.reader()
                let request = try await reader.line()
                if request == "send" {
                    let sent = reader.lines().compactMap { Measurement($0) }.stage("sent", in: flow)
                    for try await measurement in sent.values(buffering: .onDemand) {
                        _ = try await measurements.send(measurement)
                    }
                } else {
                    let isGone = reader.rest().count().replaceError(with: 0)
                    let lines = lines(for: request).stopped(by: off).prefix(untilOutputFrom: isGone)
                    for await line in lines.values(buffering: .onDemand) {
                        try await outbound.write(ByteBuffer(string: line + "\n"))
                    }
                }
            }
        } catch { logger.warning("client: \(error)") }
    }

    func run() async throws {
        let off = KillSwitch()
        let log = sums.sink { logger.info("\($0)") }
        defer { log.cancel() }
        try await withGracefulShutdownHandler {
            try await serve(until: off)
        } onGracefulShutdown: {
            off.turnOff()
        }
    }

    func serve(until off: KillSwitch) async throws {
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        try await server.executeThenClose { clients in
            await withDiscardingTaskGroup { group in
                do {
                    for try await client in clients.publisher.stopped(by: off).values(buffering: .onDemand) {
                        group.addTask { await answer(client, until: off) }
                    }
                } catch { logger.error("\(error)") }
            }
        }
    }
}

func record(_ flow: Flow, every interval: Duration) -> AnyCancellable {
    Publishers.timer(interval: interval).sink { _ in
        for stage in flow.snapshot.stages {
            let names = [("flow", flow.name), ("stage", stage.name)]
            Gauge(label: "stage_values", dimensions: names).record(stage.values)
            Gauge(label: "stage_waiting_values", dimensions: names).record(stage.waiting)
            Gauge(label: "stage_dropped_values", dimensions: names).record(stage.dropped)
            Gauge(label: "stage_active_streams", dimensions: names).record(stage.active)
            for state in Flow.State.allCases {
                guard let share = stage.share(of: state) else { continue }
                Gauge(label: "stage_time_share", dimensions: names + [("state", state.rawValue)]).record(share)
            }
        }
    }
}
