// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// A module of Apple's name, where Apple's own is not to be had: `import Combine` then means Headgate.
#if canImport(Darwin)
    let combineProducts: [Product] = []
    let combineTargets: [Target] = []
#else
    let combineProducts: [Product] = [.library(name: "Combine", targets: ["Combine"])]
    let combineTargets: [Target] = [
        .target(name: "Combine", dependencies: ["HeadgateCombine", "HeadgateFoundation"], swiftSettings: settings)
    ]
#endif

let package = Package(
    name: "Headgate",
    products: [
        .library(name: "HeadgateCore", targets: ["HeadgateCore"]),
        .library(name: "HeadgateCombine", targets: ["HeadgateCombine"]),
        .library(name: "Headgate", targets: ["Headgate"]),
        .library(name: "HeadgateFoundation", targets: ["HeadgateFoundation"]),
        .library(name: "HeadgateSystem", targets: ["HeadgateSystem"]),
        .library(name: "HeadgateRedis", targets: ["HeadgateRedis"]),
        .library(name: "HeadgateTesting", targets: ["HeadgateTesting"]),
        .library(name: "HeadgateTestingTimers", targets: ["HeadgateTestingTimers"]),
        .executable(name: "logstat", targets: ["logstat"]),
        .executable(name: "tailgrep", targets: ["tailgrep"]),
        .executable(name: "runmany", targets: ["runmany"]),
        .executable(name: "ticker-server", targets: ["ticker-server"]),
        .executable(name: "ticker-load", targets: ["ticker-load"]),
        .executable(name: "playhead", targets: ["playhead"]),
        .executable(name: "tutorial", targets: ["tutorial"]),
        .executable(name: "conformance", targets: ["conformance"]),
        .executable(name: "etl", targets: ["etl"]),
        .executable(name: "state-store", targets: ["state-store"]),
        .executable(name: "fetcher", targets: ["fetcher"]),
        .executable(name: "fleet", targets: ["fleet"]),
    ] + combineProducts,
    traits: [
        .trait(
            name: "StrictClosures",
            description: "Closures of operators and sinks are @Sendable; what is carried to another thread is Sendable."
        )
    ],
    targets: [
        .target(name: "HeadgateCore", swiftSettings: settings),
        // One word for each thread.
        .target(name: "HeadgateThread"),
        .target(name: "HeadgateEngine", dependencies: ["HeadgateCore", "HeadgateThread"], swiftSettings: settings),
        .target(
            name: "HeadgateCombine", dependencies: ["HeadgateCore", "HeadgateEngine", "HeadgateThread"],
            swiftSettings: settings),
        .target(
            name: "Headgate", dependencies: ["HeadgateCore", "HeadgateEngine", "HeadgateCombine"],
            swiftSettings: settings),
        .target(
            name: "HeadgateFoundation", dependencies: ["HeadgateCore", "HeadgateEngine", "HeadgateCombine"],
            swiftSettings: settings),
        .target(name: "CHeadgateSystem"),
        .target(
            name: "HeadgateSystem",
            dependencies: ["CHeadgateSystem", "HeadgateCore", "HeadgateEngine", "HeadgateCombine", "Headgate"],
            swiftSettings: settings + [.enableExperimentalFeature("Lifetimes")]),
        .target(
            name: "HeadgateTesting", dependencies: ["HeadgateCore", "HeadgateEngine", "HeadgateCombine"],
            swiftSettings: settings),
        // Apart from the kit, so that importing that makes none of Headgate's operators visible.
        .target(
            name: "HeadgateTestingTimers",
            dependencies: ["HeadgateCore", "HeadgateEngine", "HeadgateCombine", "Headgate", "HeadgateTesting"],
            swiftSettings: settings),
        .target(
            name: "HeadgateRedis",
            dependencies: ["HeadgateCore", "HeadgateEngine", "HeadgateCombine", "Headgate", "HeadgateSystem"],
            swiftSettings: settings),

        .executableTarget(
            name: "logstat", dependencies: ["HeadgateSystem"], path: "Examples/logstat",
            exclude: ["expected", "README.md"],
            resources: [.copy("sample.log")], swiftSettings: settings),
        .executableTarget(
            name: "tailgrep", dependencies: ["HeadgateSystem"], path: "Examples/tailgrep",
            exclude: ["expected", "README.md"],
            swiftSettings: settings),
        .executableTarget(
            name: "runmany", dependencies: ["HeadgateSystem"], path: "Examples/runmany",
            exclude: ["expected", "README.md"],
            swiftSettings: settings),
        .executableTarget(
            name: "ticker-server", dependencies: ["HeadgateSystem"], path: "Examples/ticker-server",
            exclude: ["expected", "README.md"], swiftSettings: settings),
        .executableTarget(
            name: "ticker-load", dependencies: ["HeadgateSystem"], path: "Examples/ticker-load",
            exclude: ["expected", "README.md"], swiftSettings: settings),
        .executableTarget(
            name: "playhead", dependencies: ["Headgate"], path: "Examples/playhead", exclude: ["expected"],
            swiftSettings: settings),
        .executableTarget(
            name: "tutorial", dependencies: ["Headgate"], path: "Examples/tutorial", exclude: ["expected"],
            swiftSettings: settings),
        .executableTarget(
            name: "etl", dependencies: ["HeadgateSystem"], path: "Examples/etl", exclude: ["expected"],
            swiftSettings: settings),
        .executableTarget(
            name: "fleet", dependencies: ["HeadgateRedis"], path: "Examples/fleet", exclude: ["expected"],
            swiftSettings: settings),
        .executableTarget(
            name: "state-store", dependencies: ["Headgate", "HeadgateTesting"], path: "Examples/state-store",
            exclude: ["expected"], swiftSettings: settings),
        .executableTarget(
            name: "conformance",
            dependencies: [
                "Headgate", "HeadgateEngine", "HeadgateFoundation", "HeadgateSystem", "HeadgateTesting",
                "HeadgateTestingTimers",
            ],
            path: "Examples/conformance",
            exclude: ["expected"], swiftSettings: settings),

        .executableTarget(
            name: "fetcher", dependencies: ["Headgate", "HeadgateTesting"], path: "Examples/fetcher",
            exclude: ["expected"], swiftSettings: settings),

        // Makes the pages of the documentation: `Documentation/build`.
        .executableTarget(
            name: "documentation",
            dependencies: [
                "HeadgateTesting", "HeadgateTestingTimers", "HeadgateSystem", "HeadgateRedis", "HeadgateFoundation",
            ],
            path: "Documentation/Generator", swiftSettings: settings),

        .target(
            name: "TestSupport", dependencies: ["HeadgateCore", "HeadgateTesting"], path: "Tests/TestSupport",
            swiftSettings: settings),
        // Makes the mistakes that end a process, for the tests that watch it end.
        .executableTarget(
            name: "TrapProbe", dependencies: ["Headgate", "HeadgateRedis", "HeadgateSystem", "HeadgateTesting"],
            path: "Tests/TrapProbe",
            swiftSettings: settings),
        .testTarget(
            name: "HeadgateCoreTests", dependencies: ["HeadgateCore", "HeadgateTesting", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "HeadgateEngineTests",
            dependencies: ["HeadgateEngine", "HeadgateCombine", "HeadgateTesting", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "HeadgateCombineTests",
            dependencies: ["HeadgateCombine", "Headgate", "HeadgateTesting", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "HeadgateTests", dependencies: ["Headgate", "HeadgateTesting", "TestSupport"], swiftSettings: settings
        ),
        .testTarget(
            name: "HeadgateFoundationTests", dependencies: ["HeadgateFoundation", "HeadgateTesting", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "HeadgateSystemTests", dependencies: ["HeadgateSystem", "HeadgateTesting", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "HeadgateTestingTests",
            dependencies: ["HeadgateTesting", "HeadgateTestingTimers", "Headgate", "TestSupport", "conformance"],
            swiftSettings: settings),
        .testTarget(
            name: "HeadgateRedisTests", dependencies: ["HeadgateRedis", "HeadgateTesting", "TestSupport", "fleet"],
            swiftSettings: settings),
        .testTarget(
            name: "DocumentationTests", dependencies: ["documentation", "HeadgateTesting"], swiftSettings: settings),
        // Clients whose code belongs to the main actor without a word, and at the top level of a file.
        .testTarget(
            name: "MainActorClientTests", dependencies: ["Headgate"],
            swiftSettings: settings + [.defaultIsolation(MainActor.self)]),
        // A client with extensions of its own under our names.
        .testTarget(name: "OwnNamesClientTests", dependencies: ["Headgate"], swiftSettings: settings),
        .executableTarget(
            name: "TopLevelClient", dependencies: ["Headgate"], path: "Tests/TopLevelClient", swiftSettings: settings),
        // The same client code in both language modes.
        .testTarget(
            name: "Swift5ClientTests", dependencies: ["Headgate"], swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "Swift6ClientTests", dependencies: ["Headgate"], swiftSettings: [.swiftLanguageMode(.v6)]),
    ] + combineTargets
)
