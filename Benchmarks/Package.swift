// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "Headgate", path: "..")],
    targets: [
        .executableTarget(
            name: "Workbench", dependencies: [.product(name: "Headgate", package: "Headgate")],
            swiftSettings: [.swiftLanguageMode(.v5), .enableUpcomingFeature("ExistentialAny")])
    ]
)
