// swift-tools-version: 6.2
import PackageDescription

// Programs of somebody who has switched on the trait `StrictClosures`. `Sources/Accepted` is built and run; the files in
// `Refused` must not compile, each for the reasons that it names. `.ci/run strict` looks at both, by `check`.

let settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")]

let package = Package(
    name: "StrictClients",
    // By the name given here, so that it does not matter what the folder of the clone is called.
    dependencies: [.package(name: "Headgate", path: "../..", traits: ["StrictClosures"])],
    targets: [
        .executableTarget(
            name: "Accepted",
            dependencies: [
                .product(name: "Combine", package: "Headgate", condition: .when(platforms: [.linux])),
                .product(name: "Headgate", package: "Headgate"),
                .product(name: "HeadgateFoundation", package: "Headgate"),
                .product(name: "HeadgateSystem", package: "Headgate"),
                .product(name: "HeadgateTesting", package: "Headgate"),
            ],
            swiftSettings: settings)
    ]
)
