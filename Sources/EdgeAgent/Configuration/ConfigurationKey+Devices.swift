extension ConfigurationKey {
    /// The keys of one entry of `devices`; they have no default.
    package static let device: [DeviceKey] = [
        DeviceKey(
            name: "address",
            summary: "The Bluetooth address",
            expected: "a Bluetooth address, as \"a1:b2:c3:d4:e5:f6\" or \"a1b2c3d4e5f6\"",
            isRequired: true
        ),
        DeviceKey(
            name: "alias",
            summary: "The device's level in topics",
            expected: "a lower-case letter, then up to 63 of a-z, 0-9, _ and -; not 12 hex digits",
            isRequired: true
        ),
        DeviceKey(
            name: "name",
            summary: "A name for people",
            expected: "a text of 1 to 256 bytes without control characters",
            isRequired: false
        ),
        DeviceKey(
            name: "intervalMs",
            summary: "How long it may be silent before it counts as gone",
            expected: "a whole number from 1000 to 604800000 (ms)",
            isRequired: false
        ),
        DeviceKey(
            name: "profile",
            summary: "What kind of device it is",
            expected: "the id of a profile, 1 to 64 of a-z, 0-9 and -",
            isRequired: false
        ),
        DeviceKey(
            name: "shared",
            summary: "Whether several gateways hear it, which is one device in Home Assistant",
            expected: "true or false",
            isRequired: false
        ),
        DeviceKey(
            name: "owner",
            summary: "The gateway that tells Home Assistant of it",
            expected: "the name of a gateway",
            isRequired: false
        ),
    ]

    /// The keys of `link` in one entry of `devices`; without one of them that of `links` holds.
    package static let deviceLink: [DeviceKey] = [
        DeviceKey(
            name: "policy",
            summary: "When the device has a link",
            expected: "onDemand, keep or never",
            isRequired: false
        ),
        DeviceKey(
            name: "idleMs",
            summary: "How long its link stays that nobody needs",
            expected: "a whole number from 0 to 86400000 (ms)",
            isRequired: false
        ),
        DeviceKey(
            name: "maxAttempts",
            summary: "How often in a row making its link again is tried",
            expected: "a whole number from 1 to 1000000",
            isRequired: false
        ),
        DeviceKey(
            name: "rssiMin",
            summary: "The weakest signal at which making its link again is tried",
            expected: "a whole number from -127 to 20 (dBm)",
            isRequired: false
        ),
    ]

    /// The most entries of `devices`.
    package static let maximumDevices = 4096

    /// A key of one configured device.
    package struct DeviceKey: Sendable {
        package let name: String
        package let summary: String
        package let expected: String
        package let isRequired: Bool
    }
}
