internal import Glibc

/// Where a bus listens, as D-Bus writes it: `unix:path=/run/dbus/system_bus_socket`.
package struct BusAddress: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    /// The system bus: `DBUS_SYSTEM_BUS_ADDRESS`, or its fixed place.
    package static var system: BusAddress {
        guard let value = getenv("DBUS_SYSTEM_BUS_ADDRESS"), value.pointee != 0 else {
            return BusAddress("unix:path=/run/dbus/system_bus_socket")
        }
        return BusAddress(String(cString: value))
    }
}
