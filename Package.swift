// swift-tools-version: 6.2
import PackageDescription

/// Settings that every Swift target of the package shares.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .treatAllWarnings(as: .error),
]

/// How the program is linked: nobody links to it, so nothing is exported, and relocations are packed (glibc 2.36).
///
/// Both would only lie in memory.
let small = ["-use-ld=lld", "-Xlinker", "--no-export-dynamic", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"]

func swiftTarget(_ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource]? = nil) -> Target {
    .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], without: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: without, swiftSettings: strict)
}

let package = Package(
    name: "edge-agent",
    products: [
        .library(name: "BleCore", targets: ["BleCore"]),
        .executable(name: "edge-agent", targets: ["edge-agent"]),
        .executable(name: "bluez-simulator", targets: ["bluez-simulator"]),
    ],
    targets: [
        // C libraries of the system: a module map and a shim each, no logic. One Swift target imports each.
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
        .systemLibrary(
            name: "CMosquitto",
            pkgConfig: "libmosquitto",
            providers: [.apt(["libmosquitto-dev", "libssl-dev"])]
        ),
        .systemLibrary(name: "CJansson", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),
        .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        // Not linked: loaded when somebody serves.
        .systemLibrary(name: "CMicroHTTPD", providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),

        swiftTarget("EventLoop", ["CLinux"]),
        swiftTarget("DBus", ["CDBus", "EventLoop"]),
        swiftTarget("MQTT", ["CMosquitto", "EventLoop"]),
        swiftTarget("Cryptography", ["CCrypto"]),
        swiftTarget("BleCore", ["Cryptography", "DBus", "EventLoop"]),
        // Its parts are generic: without this its users would run them unspecialised, four times slower.
        .target(
            name: "TaskQueue",
            swiftSettings: strict + [.unsafeFlags(["-cross-module-optimization"], .when(configuration: .release))]
        ),
        swiftTarget("YAML", ["CYAML"]),
        swiftTarget("Frames", ["BleCore"]),
        swiftTarget("Profiles", ["BleCore", "Cryptography", "Frames", "YAML"]),
        swiftTarget("Journal", ["CSQLite", "EventLoop"]),
        swiftTarget("Systemd", ["CSystemd"]),
        swiftTarget("LocalHTTP", ["CMicroHTTPD", "EventLoop"]),
        swiftTarget(
            "EdgeAgent",
            [
                "BleCore", "TaskQueue", "MQTT", "EventLoop", "Journal", "YAML", "Frames", "Profiles", "Cryptography",
                "LocalHTTP", "Systemd", "CJansson",
            ]
        ),
        swiftTarget("EdgeAgentControl", ["EdgeAgent", "MQTT", "EventLoop"]),
        .executableTarget(
            name: "edge-agent",
            dependencies: ["EdgeAgent", "EdgeAgentControl"],
            swiftSettings: strict,
            linkerSettings: [.unsafeFlags(small, .when(configuration: .release))]
        ),
        swiftTarget("BlueZSimulator", ["DBus", "EventLoop", "YAML"]),
        .executableTarget(name: "bluez-simulator", dependencies: ["BlueZSimulator"], swiftSettings: strict),

        // Private buses, brokers and processes for tests; never part of a shipped target.
        .target(
            name: "TestSupport",
            dependencies: ["EventLoop", "DBus", "BlueZSimulator"],
            path: "Tests/TestSupport",
            swiftSettings: strict
        ),
        // What the tests of frames and of the agent share.
        .target(
            name: "FramesSupport",
            dependencies: ["BleCore", "Frames", "TestSupport"],
            path: "Tests/Support/frames",
            swiftSettings: strict
        ),
        // How long tests compute, and on which thread.
        .target(
            name: "PaceSupport",
            dependencies: ["EventLoop"],
            path: "Tests/Support/pace",
            swiftSettings: strict
        ),
        // A checker of JSON Schema, for the schemas of files that people write.
        .target(
            name: "SchemaSupport",
            dependencies: ["YAML"],
            path: "Tests/Support/schemas",
            swiftSettings: strict
        ),
        // What the tests of the journal kill.
        .executableTarget(
            name: "journal-writer",
            dependencies: ["Journal", "EventLoop"],
            path: "Tests/Support/journal-writer",
            swiftSettings: strict
        ),
        // What the queue costs, by the number of devices; `make bench` runs it.
        .executableTarget(
            name: "queue-bench",
            dependencies: ["TaskQueue", "CLinux"],
            path: "Tests/Bench/Queue",
            swiftSettings: strict
        ),
        // What the journal costs, and one dead device; `make bench` runs it beside the agent.
        .executableTarget(
            name: "journal-bench",
            dependencies: ["MQTT", "EventLoop", "BlueZSimulator", "TestSupport"],
            path: "Tests/Bench/Journal",
            swiftSettings: strict
        ),
        tests("EventLoopTests", ["EventLoop", "TestSupport"]),
        tests("DBusTests", ["DBus", "EventLoop", "TestSupport"]),
        tests("MQTTTests", ["MQTT", "EventLoop", "TestSupport"]),
        tests(
            "BleCoreTests",
            ["BleCore", "Cryptography", "DBus", "EventLoop", "BlueZSimulator", "TestSupport", "PaceSupport"]
        ),
        tests("CryptographyTests", ["Cryptography"]),
        tests("FramesTests", ["Frames", "FramesSupport", "BleCore", "TestSupport", "PaceSupport"]),
        tests(
            "ProfilesTests",
            ["Profiles", "BleCore", "Cryptography", "Frames", "SchemaSupport", "YAML", "PaceSupport"],
            without: ["Vectors/advertisement-vectors.json"]
        ),
        tests("JournalTests", ["Journal", "EventLoop", "TestSupport", "journal-writer", "PaceSupport"]),
        tests("LocalHTTPTests", ["LocalHTTP", "EventLoop", "TestSupport"]),
        tests("TaskQueueTests", ["TaskQueue", "TestSupport", "PaceSupport"]),
        tests(
            "EdgeAgentTests",
            [
                "EdgeAgent", "BleCore", "Cryptography", "Frames", "FramesSupport", "Journal", "Profiles", "TaskQueue",
                "MQTT", "EventLoop", "TestSupport", "PaceSupport",
            ]
        ),
        tests("EdgeAgentControlTests", ["EdgeAgentControl", "EdgeAgent", "MQTT", "EventLoop", "TestSupport"]),
        tests(
            "BlueZSimulatorTests",
            ["BlueZSimulator", "DBus", "EventLoop", "YAML", "SchemaSupport", "TestSupport", "PaceSupport"]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// What `make fuzz` builds: it needs libFuzzer, which only its sanitizer brings.
if Context.environment["EDGE_AGENT_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "fuzz",
            dependencies: ["EdgeAgent", "BleCore", "DBus", "Frames", "Profiles", "BlueZSimulator"],
            path: "Tests/Fuzz/Fuzz",
            swiftSettings: strict
        )
    )
}
