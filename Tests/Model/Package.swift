// swift-tools-version: 6.2
import PackageDescription

// The library's own sources under a model checker. `Tests/Model/assemble` copies them beside this file into the build
// folder, where this package is complete; see README.md.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v5), .enableUpcomingFeature("ExistentialAny"),
    .unsafeFlags(["-enforce-exclusivity=unchecked", "-suppress-warnings"]),
]

// Plain accesses to memory call functions, which the model answers.
let library = settings + [.unsafeFlags(["-Xfrontend", "-sanitize=thread"])]

let package = Package(
    name: "model",
    targets: [
        .target(name: "ModelCore", cxxSettings: [.unsafeFlags(["-O2"])]),
        .target(name: "ModelKit", dependencies: ["ModelCore"], swiftSettings: settings),
        .target(name: "HeadgateThread", dependencies: ["ModelCore"]),
        .target(name: "HeadgateCore", dependencies: ["ModelKit"], swiftSettings: library),
        .target(
            name: "HeadgateEngine", dependencies: ["HeadgateCore", "HeadgateLibC", "HeadgateThread"],
            swiftSettings: library),
        .target(
            name: "HeadgateCombine",
            dependencies: ["HeadgateCore", "HeadgateEngine", "HeadgateLibC", "HeadgateThread"],
            swiftSettings: library),
        .target(
            name: "Headgate", dependencies: ["HeadgateCore", "HeadgateEngine", "HeadgateCombine", "HeadgateThread"],
            swiftSettings: library),
        .target(
            name: "HeadgateControls", dependencies: ["HeadgateCore", "HeadgateEngine", "HeadgateCombine"],
            swiftSettings: library),
        .target(
            name: "HeadgateFlow",
            dependencies: ["HeadgateCore", "HeadgateEngine", "HeadgateCombine", "HeadgateThread"],
            swiftSettings: library),
        .target(name: "CHeadgateSystem"),
        .target(name: "HeadgateLibC", swiftSettings: settings),
        .target(
            name: "HeadgateSystem",
            dependencies: [
                "CHeadgateSystem", "HeadgateLibC", "HeadgateCore", "HeadgateEngine", "HeadgateCombine", "Headgate",
                "HeadgateFlow",
            ],
            swiftSettings: library + [.enableExperimentalFeature("Lifetimes")]),
        .executableTarget(
            name: "check",
            dependencies: [
                "ModelKit", "HeadgateCore", "HeadgateEngine", "HeadgateCombine", "Headgate", "HeadgateControls",
                "HeadgateFlow", "HeadgateThread", "HeadgateSystem",
            ],
            swiftSettings: settings),
    ],
    cxxLanguageStandard: .cxx17
)
