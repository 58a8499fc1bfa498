// swift-tools-version: 6.2
import PackageDescription

// Programs of somebody who has switched on the trait `StrictClosures`. `Sources/Accepted` is built and run; the files in
// `Refused` must not compile, each for the reasons that it names. `.ci/run strict` looks at both, by `check`.

let settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")]

// A client may give its targets the names that others in Headgate's repository have. All of these are one program, without
// dependencies: two targets of one name would keep the whole package from being built.
let namesakes = [
    "conformance", "CSystemCalls", "documentation", "etl", "Examples", "fetcher", "fleet", "logstat", "playhead",
    "runmany", "shelf",
    "state-store", "tailgrep", "TestSupport", "ticker-load", "ticker-server", "TopLevelClient", "TrapProbe", "tutorial",
]

let package = Package(
    name: "StrictClients",
    // By the name given here, so that it does not matter what the folder of the clone is called.
    dependencies: [.package(name: "Headgate", path: "../..", traits: ["StrictClosures"])],
    targets: [
        .executableTarget(
            name: "Accepted",
            dependencies: [
                .product(name: "Combine", package: "Headgate", condition: .when(platforms: [.linux])),
                .product(name: "Headgate", package: "Headgate"),
                .product(name: "HeadgateFoundation", package: "Headgate"),
                .product(name: "HeadgateSystem", package: "Headgate"),
                .product(name: "HeadgateRedis", package: "Headgate"),
                .product(name: "HeadgateTesting", package: "Headgate"),
                .product(name: "HeadgateTestingTimers", package: "Headgate"),
            ],
            swiftSettings: settings)
    ]
        + namesakes.map {
            .executableTarget(name: $0, path: "Sources/Namesakes/\($0)", swiftSettings: settings)
        }
)
