// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "Headgate", path: "..")],
    targets: [
        .systemLibrary(name: "Heap"),
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
