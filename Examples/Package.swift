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
    _ name: String, _ products: String..., isOnTerminals: Bool = false, exclude: [String] = ["expected"],
    resources: [Resource] = []
) -> Target {
    .executableTarget(
        name: name, dependencies: products.map(product) + (isOnTerminals ? ["Terminal"] : []), path: name,
        exclude: exclude, resources: resources,
        swiftSettings: settings)
}

let package = Package(
    name: "Examples",
    dependencies: [.package(name: "Headgate", path: "..")],
    targets: [
        // What programs draw on a terminal.
        .target(
            name: "Terminal", dependencies: [product("HeadgateSystem")], path: "terminal", swiftSettings: settings),
        example(
            "logstat", "HeadgateSystem", isOnTerminals: true, exclude: ["expected", "README.md"],
            resources: [.copy("sample.log")]),
        example("tailgrep", "HeadgateSystem", exclude: ["expected", "README.md"]),
        example("runmany", "HeadgateSystem", exclude: ["expected", "README.md"]),
        example("ticker-server", "HeadgateSystem", isOnTerminals: true, exclude: ["expected", "README.md"]),
        example("ticker-load", "HeadgateSystem", isOnTerminals: true, exclude: ["expected", "README.md"]),
        example("shelf", "HeadgateSystem", exclude: ["expected", "README.md"]),
        example("ingest", "HeadgateSystem"),
        example("etl", "HeadgateSystem", isOnTerminals: true),
        example("fleet", "HeadgateRedis", isOnTerminals: true),
        example("playhead", "Headgate"),
        example("tutorial", "Headgate", "HeadgateControls"),
        example("state-store", "Headgate", "HeadgateTesting"),
        example("fetcher", "Headgate", "HeadgateFlow", "HeadgateTesting", isOnTerminals: true),
        // They start the programs that are built beside them.
        .testTarget(
            name: "ExampleTests", dependencies: [product("HeadgateSystem"), product("HeadgateTesting")],
            path: "Tests", swiftSettings: settings),
    ]
)
