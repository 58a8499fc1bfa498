// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// Tests collect what they hear on one thread in local variables, as ported code does: in this mode the compiler lets them.
let testing: [SwiftSetting] =
    [.swiftLanguageMode(.v5)]
    + [
        "BareSlashRegexLiterals", "ConciseMagicFile", "ExistentialAny", "ForwardTrailingClosures",
        "InferSendableFromCaptures", "MemberImportVisibility",
    ].map { .enableUpcomingFeature($0) }

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
    // Those of 2024, with which Synchronization came.
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "HeadgateCore", targets: ["HeadgateCore"]),
        .library(name: "HeadgateCombine", targets: ["HeadgateCombine"]),
        .library(name: "Headgate", targets: ["Headgate"]),
        .library(name: "HeadgateControls", targets: ["HeadgateControls"]),
        .library(name: "HeadgateFlow", targets: ["HeadgateFlow"]),
        .library(name: "HeadgateFoundation", targets: ["HeadgateFoundation"]),
        .library(name: "HeadgateSystem", targets: ["HeadgateSystem"]),
        .library(name: "HeadgateRedis", targets: ["HeadgateRedis"]),
        .library(name: "HeadgateTesting", targets: ["HeadgateTesting"]),
        .library(name: "HeadgateTestingTimers", targets: ["HeadgateTestingTimers"]),
        .library(name: "HeadgateVerification", targets: ["HeadgateVerification"]),
    ] + combineProducts,
    targets: [
        .target(name: "HeadgateCore", swiftSettings: settings),
        // The C library, by one name on all systems.
        .target(name: "HeadgateLibC", swiftSettings: settings),
        // One word for each thread.
        .target(name: "HeadgateThread"),
        .target(
            name: "HeadgateEngine", dependencies: ["HeadgateCore", "HeadgateLibC", "HeadgateThread"],
            swiftSettings: settings),
        .target(
            name: "HeadgateCombine",
            dependencies: ["HeadgateCore", "HeadgateEngine", "HeadgateLibC", "HeadgateThread"],
            swiftSettings: settings),
        .target(
            name: "Headgate", dependencies: ["HeadgateCore", "HeadgateEngine", "HeadgateCombine", "HeadgateThread"],
            swiftSettings: settings),
        // Buttons and text fields without a screen.
        .target(
            name: "HeadgateControls", dependencies: ["HeadgateCore", "HeadgateEngine", "HeadgateCombine"],
            swiftSettings: settings),
        // Apart from the operators, so that a program that looks at no flow does not build it.
        .target(
            name: "HeadgateFlow",
            dependencies: ["HeadgateCore", "HeadgateEngine", "HeadgateCombine", "HeadgateThread"],
            swiftSettings: settings),
        .target(
            name: "HeadgateFoundation", dependencies: ["HeadgateCore", "HeadgateEngine", "HeadgateCombine"],
            swiftSettings: settings),
        .target(name: "CHeadgateSystem"),
        .target(
            name: "HeadgateSystem",
            dependencies: [
                "CHeadgateSystem", "HeadgateLibC", "HeadgateCore", "HeadgateEngine", "HeadgateCombine", "Headgate",
                "HeadgateFlow",
            ],
            swiftSettings: settings + [.enableExperimentalFeature("Lifetimes")]),
        .target(
            name: "HeadgateTesting",
            dependencies: ["HeadgateCore", "HeadgateEngine", "HeadgateCombine", "HeadgateLibC", "HeadgateThread"],
            swiftSettings: settings),
        // Apart from the kit, so that importing that makes none of Headgate's operators visible.
        .target(
            name: "HeadgateTestingTimers",
            dependencies: ["HeadgateCore", "HeadgateEngine", "HeadgateCombine", "Headgate", "HeadgateTesting"],
            swiftSettings: settings),
        // For who writes publishers and operators; the kit is for who tests a program.
        .target(
            name: "HeadgateVerification",
            dependencies: ["HeadgateCore", "HeadgateEngine", "HeadgateCombine", "HeadgateLibC", "HeadgateTesting"],
            swiftSettings: settings),
        .target(
            name: "HeadgateRedis",
            dependencies: [
                "HeadgateCore", "HeadgateEngine", "HeadgateCombine", "Headgate", "HeadgateFlow", "HeadgateSystem",
            ],
            swiftSettings: settings),

        // Makes the pages of the documentation: `Documentation/build`.
        .executableTarget(
            name: "documentation",
            dependencies: [
                "Headgate", "HeadgateControls", "HeadgateFlow", "HeadgateTesting", "HeadgateTestingTimers",
                "HeadgateVerification", "HeadgateSystem",
                "HeadgateRedis", "HeadgateFoundation",
            ],
            path: "Documentation/Generator", swiftSettings: settings),

        // Verifies everything against the contract, and operators beside each other: `swift run HeadgateConformance`.
        .executableTarget(
            name: "HeadgateConformance",
            dependencies: [
                "Headgate", "HeadgateControls", "HeadgateFlow", "HeadgateEngine", "HeadgateFoundation",
                "HeadgateSystem", "HeadgateTesting",
                "HeadgateTestingTimers", "HeadgateVerification",
            ],
            path: "Tests/HeadgateConformance", exclude: ["expected"], swiftSettings: settings),
        .target(
            name: "TestSupport", dependencies: ["HeadgateCore", "HeadgateTesting"], path: "Tests/TestSupport",
            swiftSettings: settings),
        // Makes the mistakes that end a process, for the tests that watch it end.
        .executableTarget(
            name: "TrapProbe",
            dependencies: [
                "Headgate", "HeadgateFlow", "HeadgateRedis", "HeadgateSystem", "HeadgateTesting",
                "HeadgateVerification",
            ],
            path: "Tests/TrapProbe",
            swiftSettings: settings),
        // Decides from what workers have written down whether promises were kept; it knows nothing of the code.
        .target(name: "PartitionChecker", path: "Tests/PartitionChecker", swiftSettings: settings),
        // A worker for the tests to kill.
        .executableTarget(
            name: "PartitionProbe", dependencies: ["HeadgateRedis"], path: "Tests/PartitionProbe",
            swiftSettings: settings),
        .testTarget(
            name: "HeadgateCoreTests", dependencies: ["HeadgateCore", "HeadgateTesting", "TestSupport"],
            swiftSettings: testing),
        .testTarget(
            name: "HeadgateEngineTests",
            dependencies: [
                "HeadgateEngine", "HeadgateCombine", "Headgate", "HeadgateFlow", "HeadgateTesting",
                "HeadgateVerification",
                "TestSupport",
            ],
            swiftSettings: testing),
        .testTarget(
            name: "HeadgateCombineTests",
            dependencies: ["HeadgateCombine", "Headgate", "HeadgateTesting", "TestSupport"],
            swiftSettings: testing),
        .testTarget(
            name: "HeadgateTests",
            dependencies: [
                "Headgate", "HeadgateControls", "HeadgateFlow", "HeadgateTesting", "HeadgateVerification",
                "TestSupport",
            ],
            swiftSettings: testing),
        .testTarget(
            name: "HeadgateFoundationTests", dependencies: ["HeadgateFoundation", "HeadgateTesting", "TestSupport"],
            swiftSettings: testing),
        .testTarget(
            name: "HeadgateSystemTests",
            dependencies: ["HeadgateSystem", "HeadgateTesting", "HeadgateVerification", "TestSupport"],
            swiftSettings: testing),
        .testTarget(
            name: "HeadgateTestingTests",
            dependencies: [
                "HeadgateTesting", "HeadgateTestingTimers", "HeadgateVerification", "Headgate", "TestSupport",
            ],
            swiftSettings: testing),
        .testTarget(
            name: "HeadgateVerificationTests",
            dependencies: [
                "HeadgateVerification", "HeadgateTesting", "HeadgateTestingTimers", "Headgate", "HeadgateControls",
                "HeadgateFlow", "HeadgateFoundation",
                "TestSupport", "HeadgateConformance",
            ],
            swiftSettings: testing),
        .testTarget(
            name: "HeadgateRedisTests",
            dependencies: [
                "HeadgateRedis", "HeadgateTesting", "HeadgateVerification", "PartitionChecker", "TestSupport",
            ],
            swiftSettings: testing),
        .testTarget(
            name: "DocumentationTests", dependencies: ["documentation", "HeadgateTesting"], swiftSettings: testing),
        // Clients whose code belongs to the main actor without a word, and at the top level of a file.
        .testTarget(
            name: "MainActorClientTests", dependencies: ["Headgate"],
            swiftSettings: settings + [.defaultIsolation(MainActor.self)]),
        // A client with extensions of its own under our names.
        .testTarget(name: "OwnNamesClientTests", dependencies: ["Headgate"], swiftSettings: settings),
        .executableTarget(
            name: "TopLevelClient", dependencies: ["Headgate"], path: "Tests/TopLevelClient", swiftSettings: settings),
    ] + combineTargets
)

// The tests that are built, where not all are: a sanitizer takes its time for each.
if let tests = Context.environment["HEADGATE_TESTS"]?.split(separator: " ").map(String.init) {
    package.targets.removeAll { $0.isTest && !tests.contains($0.name) }
}
