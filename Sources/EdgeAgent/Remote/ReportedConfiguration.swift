/// What became of the configuration that was asked for: the retained `config/reported`.
///
/// ```json
/// {"state":"rejected","desired":"5d…","inForce":null,"configuration":"9a…","changed":[],"pending":[],
///  "errors":[{"key":"broker","text":"cannot be changed over MQTT: the gateway's own file alone sets it"}],"kept":true}
/// ```
package struct ReportedConfiguration: Sendable, Equatable {
    package var state: RemoteState.Name
    /// The hash of the payload that was seen last; nil: none, or it was too long.
    package var desired: String?
    /// The hash of the payload whose values hold; nil: the file's values.
    package var inForce: String?
    /// The hash of the configuration that runs, as in `info`.
    package var configuration: String
    /// The paths that do not have the file's value.
    package var changed: [String]
    /// The paths that wait for the next start.
    package var pending: [String]
    package var errors: [RemoteProblems.Problem]
    /// Why it was taken back.
    package var reason: String?
    /// Why it does not survive a restart; nil: it does.
    package var problem: String?

    package init(
        state: RemoteState.Name,
        desired: String? = nil,
        inForce: String? = nil,
        configuration: String,
        changed: [String] = [],
        pending: [String] = [],
        errors: [RemoteProblems.Problem] = [],
        reason: String? = nil,
        problem: String? = nil
    ) {
        self.state = state
        self.desired = desired
        self.inForce = inForce
        self.configuration = configuration
        self.changed = changed
        self.pending = pending
        self.errors = errors
        self.reason = reason
        self.problem = problem
    }

    /// The retained message.
    package func encode(_ stamp: MessageStamp) -> [UInt8] {
        var writer = JSONWriter(capacity: 512 + errors.count * 128)
        writer.beginObject()
        writer.field("state", state.rawValue)
        writer.field(orNull: "desired", desired)
        writer.field(orNull: "inForce", inForce)
        writer.field("configuration", configuration)
        writer.field("changed", texts: changed)
        writer.field("pending", texts: pending)
        writer.field("errors", array: errors) { writer, error in
            writer.beginObject()
            writer.field(orNull: "key", error.key)
            writer.field("text", error.text)
            writer.endObject()
        }
        writer.field(ifPresent: "reason", reason)
        writer.field("kept", problem == nil)
        writer.field(ifPresent: "problem", problem)
        stamp.write(to: &writer)
        writer.endObject()
        return writer.bytes
    }
}
