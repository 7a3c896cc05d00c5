/// One entity of a device as Home Assistant is told of it.
package struct HomeComponent: Sendable, Equatable {
    /// Names it among the device's: `[a-z0-9][a-z0-9_-]{0,63}`.
    package var key: String
    package var platform: HomePlatform
    /// For people; nil: as its class is called.
    package var name: String?
    /// What is shown comes from here.
    package var state: Reading?
    /// What is sent goes to this topic.
    package var commandTopic: String?
    /// What a switch sends and a button is pressed with; nil: `ON` and `OFF`, `PRESS`.
    package var payloads: Payloads?
    package var deviceClass: String?
    package var stateClass: HomeStateClass?
    package var unit: String?
    package var category: HomeCategory?
    /// As `mdi:lamp`.
    package var icon: String?
    /// The digits after the point that are shown.
    package var precision: Int?
    /// The choices of a select, the states of a sensor of the class `enum`, the kinds of an event.
    package var options: [String] = []
    /// What a number may be.
    package var range: ClosedRange<Double>?
    package var step: Double?
    /// The most characters of a text.
    package var maximumLength: Int?
    /// How bright a light is.
    package var brightness: Brightness?
    /// After how many seconds without a value it counts as unavailable.
    package var expireAfter: Int?
    /// Whether it is there without being switched on in Home Assistant.
    package var isEnabled = true
    /// Tells of the component alone; nil: what holds for the device.
    package var availability: [HomeAvailability]?

    /// A topic, and how its payload becomes the value.
    package struct Reading: Sendable, Equatable {
        package var topic: String
        /// Jinja; nil: the payload is the value.
        package var template: String?

        package init(topic: String, template: String? = nil) {
            self.topic = topic
            self.template = template
        }
    }

    /// What is sent for on and off, or for a press.
    package enum Payloads: Sendable, Equatable {
        case switched(on: String, off: String)
        case pressed(String)
    }

    /// The brightness of a light, from 0 to `scale`.
    package struct Brightness: Sendable, Equatable {
        package var state: Reading
        package var commandTopic: String
        package var scale: Int

        package init(state: Reading, commandTopic: String, scale: Int) {
            self.state = state
            self.commandTopic = commandTopic
            self.scale = scale
        }
    }

    package init(_ key: String, _ platform: HomePlatform, name: String? = nil) {
        self.key = key
        self.platform = platform
        self.name = name
    }
}

extension HomeComponent {
    /// Its name in `cmps`: one of another kind with the same key is another member, so that both may be spoken of.
    package var member: String { "\(platform.rawValue)-\(key)" }

    /// Writes it as a member of `cmps`.
    func write(to writer: inout JSONWriter, identity: String) {
        writer.key(member)
        writer.beginObject()
        writer.field("p", platform.rawValue)
        writer.field("unique_id", "\(identity)_\(key)")
        writer.field(ifPresent: "name", name)
        if let state {
            writer.field("stat_t", state.topic)
            // A light alone calls it otherwise.
            if platform == .light {
                writer.field(ifPresent: "stat_val_tpl", state.template)
            } else {
                writer.field(ifPresent: "val_tpl", state.template)
            }
        }
        if let commandTopic {
            writer.field("cmd_t", commandTopic)
            writer.field("qos", 1)
        }
        switch payloads {
        case .switched(let on, let off):
            writer.field("pl_on", on)
            writer.field("pl_off", off)
            // The state stays ON and OFF, whatever is sent.
            writer.field("stat_on", "ON")
            writer.field("stat_off", "OFF")
        case .pressed(let payload): writer.field("pl_prs", payload)
        case nil: break
        }
        writer.field(ifPresent: "dev_cla", deviceClass)
        writer.field(ifPresent: "stat_cla", stateClass?.rawValue)
        writer.field(ifPresent: "unit_of_meas", unit)
        writer.field(ifPresent: "ent_cat", category?.rawValue)
        writer.field(ifPresent: "ic", icon)
        writer.field(ifPresent: "sug_dsp_prc", precision)
        if !options.isEmpty { writer.field(platform == .event ? "evt_typ" : "ops", texts: options) }
        if let range {
            writer.field("min", range.lowerBound)
            writer.field("max", range.upperBound)
        }
        if let step { writer.field("step", step) }
        writer.field(ifPresent: "max", maximumLength)
        if let brightness {
            writer.field("bri_stat_t", brightness.state.topic)
            writer.field(ifPresent: "bri_val_tpl", brightness.state.template)
            writer.field("bri_cmd_t", brightness.commandTopic)
            writer.field("bri_scl", brightness.scale)
            // A lamp that is off may take no brightness.
            writer.field("on_cmd_type", "first")
        }
        writer.field(ifPresent: "exp_aft", expireAfter)
        if !isEnabled { writer.field("en", false) }
        if let availability { HomeAvailability.write(availability, to: &writer) }
        writer.endObject()
    }

    /// Writes the least that Home Assistant takes for a component of that kind.
    ///
    /// It removes only what it has seen whole since its start. On the topic nothing is ever published.
    static func writeStub(
        _ member: String,
        _ platform: HomePlatform,
        topic: String,
        to writer: inout JSONWriter,
        identity: String
    ) {
        var stub = HomeComponent(String(member.dropFirst(platform.rawValue.count + 1)), platform)
        if platform.isShown { stub.state = Reading(topic: topic) }
        if platform.isOperated { stub.commandTopic = topic }
        if platform == .select || platform == .event { stub.options = ["-"] }
        stub.write(to: &writer, identity: identity)
    }
}
