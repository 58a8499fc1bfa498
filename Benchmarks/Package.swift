// swift-tools-version: 6.2
import PackageDescription

// In the language mode 5, so that a sink may count in a variable: what a workload does besides streaming is kept as small as can be.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v5),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InferSendableFromCaptures"),
]

let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "Headgate", path: "..")],
    targets: [
        .systemLibrary(name: "Heap"),
        .systemLibrary(name: "Epoll"),
        .executableTarget(
            name: "SystemBenchmarks",
            dependencies: [.product(name: "HeadgateSystem", package: "Headgate"), "Epoll"],
            path: "Sources/System",
            swiftSettings: settings),
        .executableTarget(
            name: "Stack",
            dependencies: [.product(name: "Headgate", package: "Headgate")],
            swiftSettings: settings),
        .executableTarget(
            name: "DebugBuild",
            dependencies: [.product(name: "Headgate", package: "Headgate")],
            path: "Sources/Debug",
            swiftSettings: settings),
        .executableTarget(
            name: "RedisBenchmarks",
            dependencies: [.product(name: "HeadgateRedis", package: "Headgate")],
            path: "Sources/Redis",
            swiftSettings: settings),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                .product(name: "Headgate", package: "Headgate"),
                .product(name: "HeadgateFlow", package: "Headgate"),
                .product(name: "HeadgateTesting", package: "Headgate"), "Heap",
            ],
            swiftSettings: settings),
    ]
)
