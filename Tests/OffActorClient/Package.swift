// swift-tools-version: 6.2
import PackageDescription

// A program that lets closures of actors run off their actors, and is built with the compiler's flag that looks for it.
// `.ci/run clients` runs it, and compares what is reported with expected.txt.

let package = Package(
    name: "OffActorClient",
    dependencies: [.package(name: "Headgate", path: "../..")],
    targets: [
        .executableTarget(
            name: "OffActorClient", dependencies: [.product(name: "Headgate", package: "Headgate")],
            swiftSettings: [
                .swiftLanguageMode(.v6), .unsafeFlags(["-enable-actor-data-race-checks"], .when(configuration: .debug)),
            ])
    ]
)
