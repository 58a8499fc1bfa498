// swift-tools-version: 6.2
import PackageDescription

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
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]),
        .executableTarget(
            name: "Stack",
            dependencies: [.product(name: "Headgate", package: "Headgate")],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]),
        .executableTarget(
            name: "RedisBenchmarks",
            dependencies: [.product(name: "HeadgateRedis", package: "Headgate")],
            path: "Sources/Redis",
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                .product(name: "Headgate", package: "Headgate"),
                .product(name: "HeadgateFlow", package: "Headgate"),
                .product(name: "HeadgateTesting", package: "Headgate"), "Heap",
            ],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]),
    ]
)
