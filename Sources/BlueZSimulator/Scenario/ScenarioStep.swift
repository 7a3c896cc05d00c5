package import DBus

/// One thing that happens in a scenario; steps follow each other.
package enum ScenarioStep: Equatable, Sendable {
    /// Time goes by before the next step.
    case wait(Duration)
    /// The call is carried out as usual; the next step comes when it has been answered.
    case carryOut(AnswerMode)
    /// The call gets this answer.
    case reply([DBusValue])
    /// The call gets this error.
    case fail(BluezError)
    /// A signal `PropertiesChanged` goes out, whatever the properties are.
    case signal(RawSignal)
    /// Something happens in the world.
    case world(WorldEvent)
    /// The steps of a named event.
    case event(String)
    /// A fault of that name holds, anew counted, or no longer.
    case setFault(String, isEnabled: Bool)

    /// What becomes of the answer of a call that is carried out.
    package enum AnswerMode: Equatable, Sendable {
        case usual
        case none
        case twice
        /// Held back for a time; signals go out at theirs.
        case late(Duration)
    }

    /// A signal that is made up.
    package struct RawSignal: Equatable, Sendable {
        package var object: Place
        package var interface: String
        package var changed: [Property]
        package var invalidated: [String]

        package init(object: Place, interface: String, changed: [Property] = [], invalidated: [String] = []) {
            self.object = object
            self.interface = interface
            self.changed = changed
            self.invalidated = invalidated
        }

        package struct Property: Equatable, Sendable {
            package var name: String
            package var value: DBusValue

            package init(name: String, value: DBusValue) {
                self.name = name
                self.value = value
            }
        }
    }

    /// An object that a step is about.
    package enum Place: Equatable, Sendable {
        /// The object that was called.
        case called
        case path(ObjectPath)
        /// A device, by its address.
        case device(DeviceTarget)
        /// A characteristic of a device, by its long UUID.
        case characteristic(String, of: DeviceTarget)
    }
}

/// The device that a step is about.
package enum DeviceTarget: Equatable, Sendable {
    /// That of the object that was called.
    case called
    /// By its address, `AA:BB:CC:DD:EE:FF`.
    case address(String)
}

/// What can happen around bluetoothd, without a call.
package enum WorldEvent: Equatable, Sendable {
    /// A link comes to be, as another program or the device would make it.
    case link(DeviceTarget)
    /// A link ends from the other side.
    case drop(DeviceTarget)
    /// The services of a linked device are known now.
    case resolve(DeviceTarget)
    /// A device's object goes, and all below it, without a word about its link.
    case vanish(DeviceTarget)
    /// A device's object is there, without having been heard; on another adapter when one is given.
    case appear(DeviceTarget, adapter: Int?)
    /// A device is out of reach, its link ended, or back.
    case reach(DeviceTarget, Bool)
    /// A device advertises or not; nil: all devices.
    case advertise(DeviceTarget?, Bool)
    /// A characteristic, by its long UUID, notifies a value if it was asked to.
    case notify(DeviceTarget, characteristic: String, value: [UInt8])
    /// The device has lost its half of the bond.
    case loseKeys(DeviceTarget)
    /// A linked device asks for pairing.
    case pair(DeviceTarget)
    /// Somebody types a number at the device that pairs.
    case type(DeviceTarget, passkey: UInt32)
    /// Each of the devices' RSSI is forgotten, as when a discovery ends.
    case forgetRSSI(DeviceTarget)
    case power(adapter: Int, Bool)
    /// rfkill holds an adapter, or lets it go.
    case block(adapter: Int, Bool)
    case unplug(adapter: Int)
    /// An adapter that was pulled out is plugged in again, maybe under another number.
    case plug(adapter: Int, number: Int)
    /// bluetoothd is gone from the bus, as if killed.
    case leaveBus
    /// bluetoothd ends in good order, as told by SIGTERM, and keeps what it has stored.
    case killBus
    case stopBus
    /// bluetoothd is back; the next step comes when it is.
    case returnToBus
}
