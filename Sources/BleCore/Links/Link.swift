internal import DBus

/// What the manager keeps of one device: its link, who waits for it, and which calls are out.
///
/// Confined to the manager; a class because waits refer to it.
final class Link {
    let address: DeviceAddress
    var state = LinkState()
    /// An operation is on its way to a link now; others wait for it.
    var isTaken = false
    /// `Connect` is out: what BlueZ shows of the link may be a flicker.
    var connecting = false
    /// What comes next ends the link: it need not wait for calls that are out.
    var isHurried = false
    /// The link was made by this process.
    var ours = false
    private(set) var callsOut = 0
    /// Counts the lives of the device's object.
    private(set) var life = 0
    /// How many of the calls that are out nobody waits for: what they were to do is done, their answers are overdue.
    var excused = 0
    /// How many operations have been sent to the device.
    var operations = 0
    /// Up to which of them those that have no answer will never have one: their pairing was refused.
    var refusedOperations = 0
    /// What is sent to its attributes.
    var calls = AttributeCalls()
    /// Counts the changes that those who wait were to look at.
    private(set) var pokes = 0
    private var probes: [(number: Int, look: () -> Void)] = []
    private var lastProbe = 0

    init(address: DeviceAddress) { self.address = address }

    /// Whether nothing depends on the link any more.
    var isIdle: Bool { isSettled && probes.isEmpty && !isTaken && state.phase == .disconnected }

    /// Whether no call is out that the device must be kept for.
    var isSettled: Bool { callsOut <= excused }

    /// How many wait for the device.
    var waits: Int { probes.count }

    /// Adds a look at each change of the device.
    func add(_ probe: @escaping () -> Void) -> Int {
        lastProbe += 1
        probes.append((lastProbe, probe))
        return lastProbe
    }

    func remove(_ number: Int) { probes.removeAll { $0.number == number } }

    /// Lets all who wait look again.
    func poke() {
        pokes += 1
        // A look may end its wait, or begin another.
        for probe in probes { probe.look() }
    }

    /// Counts a call.
    ///
    /// - Returns: the life of the device's object that it belongs to.
    func callBegins() -> Int {
        callsOut += 1
        return life
    }

    func callEnds(of life: Int) {
        if life == self.life { callsOut -= 1 }
        poke()
    }

    /// The device's object is gone: bluetoothd may never answer what is out, as when an adapter is pulled out.
    func objectGone() {
        life += 1
        (callsOut, excused) = (0, 0)
        calls = AttributeCalls()
    }
}

/// The state of a device's link.
public struct LinkState: Sendable, Equatable {
    /// How far the link is.
    public enum Phase: String, Sendable {
        case disconnected, connecting, connected
        /// Connected, and its services are known.
        case resolved
        case disconnecting
    }

    /// Who made the link.
    public enum Owner: String, Sendable { case `self`, other }

    public var phase: Phase = .disconnected
    public var owner: Owner?
    /// Why the link ended, or was not made; a word or BlueZ's text.
    public var reason: String?
    /// When this state began, in milliseconds since 1970-01-01 UTC.
    public var since: Int64 = 0
    /// The adapter that has the link.
    public var adapter: AdapterName?
    /// The ATT MTU in bytes, once BlueZ tells it.
    public var mtu: Int?
    /// Which attempt at a link this is.
    public var attempt: Int?
}
