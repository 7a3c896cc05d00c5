/// A device that the operator has named.
package struct DeviceConfiguration: Sendable, Equatable {
    /// The Bluetooth address, 12 lower-case hex digits.
    package var address: String
    /// The device's level in topics, `[a-z][a-z0-9_-]{0,63}` and not 12 hex digits.
    package var alias: String
    /// A name for people; any text.
    package var name: String?
    /// How long it may be silent before it counts as gone; nil: what is learned.
    package var interval: Duration?
    /// The id of its profile; nil: those that recognise it.
    package var profile: String?
    /// A beacon that several gateways hear: its identity in Home Assistant is its address alone.
    package var isShared = false
    /// The gateway that shows it there; nil: this one.
    package var owner: String?
    /// What of the rules for links is another for this device.
    package var link: LinkSettings

    /// Names a device.
    package init(address: String, alias: String, name: String? = nil, link: LinkSettings = LinkSettings()) {
        self.address = address
        self.alias = alias
        self.name = name
        self.link = link
    }
}
