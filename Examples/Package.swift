// swift-tools-version: 6.2
import PackageDescription

// Programs that use Headgate, as a package of its own: their names are not those of targets that a client's package might have.

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// By the name given here, so that it does not matter what the folder of the clone is called.
func product(_ name: String) -> Target.Dependency { .product(name: name, package: "Headgate") }

/// A program in the folder of its name.
func example(
    _ name: String, _ products: String..., exclude: [String] = ["expected"], resources: [Resource] = []
) -> Target {
    .executableTarget(
        name: name, dependencies: products.map(product), path: name, exclude: exclude, resources: resources,
        swiftSettings: settings)
}

let package = Package(
    name: "Examples",
    dependencies: [.package(name: "Headgate", path: "..")],
    targets: [
        example(
            "logstat", "HeadgateSystem", exclude: ["expected", "README.md"], resources: [.copy("sample.log")]),
        example("tailgrep", "HeadgateSystem", exclude: ["expected", "README.md"]),
        example("runmany", "HeadgateSystem", exclude: ["expected", "README.md"]),
        example("ticker-server", "HeadgateSystem", exclude: ["expected", "README.md"]),
        example("ticker-load", "HeadgateSystem", exclude: ["expected", "README.md"]),
        example("shelf", "HeadgateSystem", exclude: ["expected", "README.md"]),
        example("etl", "HeadgateSystem"),
        example("fleet", "HeadgateRedis"),
        example("playhead", "Headgate"),
        example("tutorial", "Headgate", "HeadgateControls"),
        example("state-store", "Headgate", "HeadgateTesting"),
        example("fetcher", "Headgate", "HeadgateFlow", "HeadgateTesting"),
        // They start the programs that are built beside them.
        .testTarget(
            name: "ExampleTests", dependencies: [product("HeadgateSystem"), product("HeadgateTesting")],
            path: "Tests", swiftSettings: settings),
    ]
)
