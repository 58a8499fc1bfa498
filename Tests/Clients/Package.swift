// swift-tools-version: 6.2
import PackageDescription

// Programs as somebody else writes them, in a package of their own that depends on Headgate by its path. `.ci/run clients` builds and runs
// them, and compares what the compiler says of each, and of those in `Programs`, with what is recorded: `check`.

let settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")]

// By the name given here, so that it does not matter what the folder of the clone is called.
func headgate(_ name: String) -> Target.Dependency { .product(name: name, package: "Headgate") }

let combine = Target.Dependency.product(
    name: "Combine", package: "Headgate", condition: .when(platforms: [.linux, .android, .windows, .wasi]))

/// Programs of the same sources, by symbolic links, in both language modes.
func inBothModes(_ name: String, _ dependencies: [Target.Dependency], _ more: [SwiftSetting] = []) -> [Target] {
    [("5", SwiftLanguageMode.v5), ("6", .v6)].map { number, mode in
        .executableTarget(
            name: name + number, dependencies: dependencies, swiftSettings: more + [.swiftLanguageMode(mode)])
    }
}

// A client may give its targets the names that others in Headgate's repository have. All of these are one program, without
// dependencies: two targets of one name would keep the whole package from being built.
let namesakes = [
    "conformance", "CSystemCalls", "documentation", "etl", "Examples", "fetcher", "fleet", "logstat",
    "PartitionChecker", "PartitionProbe", "playhead", "runmany", "shelf", "state-store", "tailgrep",
    "TestSupport", "ticker-load", "ticker-server", "TopLevelClient", "TrapProbe", "tutorial",
]

let standIns: [Target.Dependency] = ["Logging", "Metrics", "NIOCore", "NIOPosix", "ServiceLifecycle"]

var targets: [Target] = inBothModes("Swift", [combine])
// With the test kit, and without the rest of Headgate.
targets += inBothModes("KitSwift", [combine, headgate("HeadgateTesting"), headgate("HeadgateVerification")])
// Programs that begin in `main`, and at the top level of a file, whose code belongs to the main actor without a word or not.
for (name, more) in [("", []), ("MainActor", [SwiftSetting.defaultIsolation(MainActor.self)])] {
    targets += inBothModes(name + "Main", [headgate("HeadgateSystem")], more)
    targets += inBothModes(name + "TopLevel", [headgate("HeadgateSystem")], more)
}

let package = Package(
    name: "Clients",
    dependencies: [.package(name: "Headgate", path: "../..")],
    targets: targets + [
        // In one program: a module whose warnings are errors, and one that has been ported, of which it asks nothing.
        .executableTarget(
            name: "Strict",
            dependencies: [
                combine, "Ported", headgate("Headgate"), headgate("HeadgateFoundation"), headgate("HeadgateSystem"),
                headgate("HeadgateRedis"), headgate("HeadgateTesting"), headgate("HeadgateTestingTimers"),
                headgate("HeadgateControls"),
            ],
            swiftSettings: settings + [.treatAllWarnings(as: .error)]),
        // Tests of ported code, the same in both language modes.
        .testTarget(
            name: "Swift5ClientTests", dependencies: [headgate("Headgate")], swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "Swift6ClientTests", dependencies: [headgate("Headgate")], swiftSettings: [.swiftLanguageMode(.v6)]),
        .target(name: "Ported", dependencies: [combine], swiftSettings: [.swiftLanguageMode(.v6)]),
        // The program of Documentation/ServerLibraries.md, and stand-ins for the packages that it imports, with their modules' names.
        .target(
            name: "Telemetry",
            dependencies: [headgate("HeadgateSystem"), headgate("HeadgateFlow")] + standIns, swiftSettings: settings),
        .testTarget(name: "TelemetryTests", dependencies: ["Telemetry"] + standIns, swiftSettings: settings),
        .target(name: "NIOPosix", dependencies: ["NIOCore"], swiftSettings: settings),
        // Closures that run off their actors, built with the compiler's flag that looks for them: what is reported is compared with
        // off-actor.txt.
        .executableTarget(
            name: "OffActorClient", dependencies: [headgate("Headgate")],
            swiftSettings: [
                .swiftLanguageMode(.v6), .unsafeFlags(["-enable-actor-data-race-checks"], .when(configuration: .debug)),
            ]),
    ]
        + ["Logging", "Metrics", "NIOCore", "ServiceLifecycle"].map { .target(name: $0, swiftSettings: settings) }
        + namesakes.map { .executableTarget(name: $0, path: "Sources/Namesakes/\($0)", swiftSettings: settings) }
)
