internal import DBus
internal import EventLoop

/// What the manager keeps of one adapter that it uses: its discovery session, and the watch over it.
///
/// Confined to the manager; a class for its identity: calls that are out refer to it.
final class Radio {
    let path: ObjectPath
    let name: AdapterName
    let discovery = DiscoveryControl()
    let monitor = MonitorControl()
    var watch: ScanWatch
    var watchTimer: EventLoop.TimerID?
    /// It has heard somebody since it came.
    var hasHeard = false
    /// Making a link has failed as it does where a radio cannot listen at the same time.
    var hasConflict = false
    /// It is being switched off and on again, by us.
    var isCycling = false

    init(path: ObjectPath, name: AdapterName, silence: ClosedRange<Duration>) {
        self.path = path
        self.name = name
        watch = ScanWatch(silence)
    }
}
