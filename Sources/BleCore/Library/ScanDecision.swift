/// What to do about a device that a scan has heard.
public enum ScanDecision: Sendable {
    /// End the scan and connect to this device.
    case connect
    /// Go on listening.
    ///
    /// The device is asked about again with its next report.
    case skip
    /// End the scan without a device.
    case stop
}
