// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "Headgate", path: "..")],
    targets: [
        .systemLibrary(name: "Heap"),
        .executableTarget(
            name: "SystemBenchmarks",
            dependencies: [.product(name: "HeadgateSystem", package: "Headgate")],
            path: "Sources/System",
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [.product(name: "Headgate", package: "Headgate"), "Heap"],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]),
    ]
)
