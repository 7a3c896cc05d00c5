/// A topic that says whether something is there.
package struct HomeAvailability: Sendable, Equatable {
    package var topic: String
    /// Jinja that gives `online` or `offline`; nil: the payload is one of them.
    package var template: String?

    package init(topic: String, template: String? = nil) {
        self.topic = topic
        self.template = template
    }

    /// The status of a gateway: whatever is not `online`, its will as well, means that it is not there.
    package static func gateway(_ topics: TopicTree) -> HomeAvailability {
        HomeAvailability(
            topic: topics.status,
            template: "{{ 'online' if value_json.state == 'online' else 'offline' }}"
        )
    }

    /// Writes topics that all have to say `online`.
    static func write(_ all: [HomeAvailability], to writer: inout JSONWriter) {
        writer.field("avty", array: all) { writer, one in
            writer.beginObject()
            writer.field("t", one.topic)
            writer.field(ifPresent: "val_tpl", one.template)
            writer.endObject()
        }
        writer.field("avty_mode", "all")
    }
}
