// swift-tools-version: 6.2
import PackageDescription

// A program as somebody else writes it, in a package of its own: it depends on Headgate by its path, has Combine's name in
// its imports and nowhere that of Headgate. `.ci/run clients` builds and runs it.
// And a program that lets closures of actors run off their actors, built with the compiler's flag that looks for it: what is
// reported is compared with off-actor.txt.

// By the name given here, so that it does not matter what the folder of the clone is called.
let combine = Target.Dependency.product(
    name: "Combine", package: "Headgate", condition: .when(platforms: [.linux, .android, .windows, .wasi]))

let kit = ["HeadgateTesting", "HeadgateVerification"].map { Target.Dependency.product(name: $0, package: "Headgate") }

let package = Package(
    name: "Clients",
    dependencies: [.package(name: "Headgate", path: "../..")],
    targets: [
        // The same sources in both language modes: `Swift5` is a symbolic link.
        .executableTarget(name: "Swift5", dependencies: [combine], swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(name: "Swift6", dependencies: [combine], swiftSettings: [.swiftLanguageMode(.v6)]),
        // With the test kit, and without the rest of Headgate.
        .executableTarget(
            name: "KitSwift5", dependencies: [combine] + kit,
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(
            name: "KitSwift6", dependencies: [combine] + kit,
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "OffActorClient", dependencies: [.product(name: "Headgate", package: "Headgate")],
            swiftSettings: [
                .swiftLanguageMode(.v6), .unsafeFlags(["-enable-actor-data-race-checks"], .when(configuration: .debug)),
            ]),
    ]
)
