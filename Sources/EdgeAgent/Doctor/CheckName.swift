/// What the doctor looks at, in the order in which it is told.
package enum CheckName: String, CaseIterable, Sendable {
    case configuration, clock
    case stateDirectory = "state.directory"
    case stateSpace = "state.space"
    case stateJournal = "state.journal"
    case bus, bluez, permission, adapter
    case power = "adapter.power"
    case discovery
    case pairingAgent = "pairing-agent"
    case connect
    case brokerName = "broker.name"
    case brokerConnection = "broker.tcp"
    case brokerTLS = "broker.tls"
    case brokerLogin = "broker.login"
    case brokerSubscriptions = "broker.subscriptions"

    /// The checks without which this one cannot be done: it is skipped when one of them has failed or was skipped.
    package var needs: [CheckName] {
        switch self {
        case .configuration, .clock, .bus: []
        case .stateDirectory, .stateSpace, .brokerName: [.configuration]
        case .stateJournal: [.stateDirectory]
        case .bluez: [.bus]
        case .permission: [.bluez]
        case .adapter, .pairingAgent: [.permission]
        case .power: [.adapter]
        case .discovery, .connect: [.power]
        case .brokerConnection: [.brokerName]
        case .brokerTLS: [.brokerConnection]
        case .brokerLogin: [.brokerTLS]
        case .brokerSubscriptions: [.brokerLogin]
        }
    }

    /// What it looks at, for the documentation: one sentence without its full stop.
    package var summary: String {
        switch self {
        case .configuration: "The file and the flags are valid"
        case .clock: "The kernel calls the clock synchronised, and it is not before this program was made"
        case .stateDirectory: "The state directory is there, belongs to this user and can be written"
        case .stateSpace: "There is room in its file system"
        case .stateJournal: "The journal can be read, is whole, and is of no newer agent"
        case .bus: "The system bus can be reached and takes this user"
        case .bluez: "bluetoothd is on the bus; its version"
        case .permission: "The bus lets this user call bluetoothd"
        case .adapter: "There is an adapter, one that the configuration wants"
        case .power: "It is switched on, and rfkill does not hold it"
        case .discovery: "Discovery starts, and somebody is heard"
        case .pairingAgent: "bluetoothd takes the agent that answers prompts of pairings"
        case .connect: "The device that `--connect` names can be connected to"
        case .brokerName: "The broker's name has an address"
        case .brokerConnection: "Its port can be reached"
        case .brokerTLS: "The handshake and all certificates are in order"
        case .brokerLogin: "The broker takes user, password and client id"
        case .brokerSubscriptions: "It grants the agent's subscriptions"
        }
    }
}
