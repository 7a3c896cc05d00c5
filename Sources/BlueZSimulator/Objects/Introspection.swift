internal import DBus

/// The XML text of an object, as `Introspect` answers it.
enum Introspection {
    private static let head = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        """

    static func xml(of object: SimulatedObject) -> String {
        var text = head + "\n<node>"
        for interface in object.interfaces { append(interface.description, to: &text) }
        for child in object.children {
            let prefix = object.path == .root ? 1 : object.path.text.utf8.count + 1
            text += "<node name=\"\(child.path.text.dropFirst(prefix))\"/>"
        }
        return text + "</node>"
    }

    /// The text of one interface.
    static func xml(of interface: InterfaceDescription) -> String {
        var text = ""
        append(interface, to: &text)
        return text
    }

    /// The text of a path that has no object of its own but some below it; nil when there are none.
    static func xml(of path: ObjectPath, in tree: ObjectTree) -> String? {
        let names = Set(
            tree.paths.filter { $0.isWithin(path) && $0 != path }
                .compactMap { $0.text.dropFirst(path.text.utf8.count + 1).split(separator: "/").first }
        )
        guard !names.isEmpty else { return nil }
        return head + "\n<node>" + names.sorted().map { "<node name=\"\($0)\"/>" }.joined() + "</node>"
    }

    private static func append(_ interface: InterfaceDescription, to text: inout String) {
        text += "<interface name=\"\(interface.name)\">"
        for method in interface.methods {
            text += "<method name=\"\(method.name)\">"
            for argument in method.input { append(argument, "in", to: &text) }
            for argument in method.output { append(argument, "out", to: &text) }
            text += "</method>"
        }
        for signal in interface.signals {
            text += "<signal name=\"\(signal.name)\">"
            for argument in signal.input { append(argument, nil, to: &text) }
            text += "</signal>"
        }
        for property in interface.properties {
            let access = property.isWritable ? "readwrite" : "read"
            text +=
                "<property name=\"\(property.name)\" type=\"\(property.signature)\" access=\"\(access)\"></property>"
        }
        text += "</interface>"
    }

    private static func append(_ argument: InterfaceDescription.Argument, _ direction: String?, to text: inout String) {
        text += "<arg name=\"\(argument.name)\" type=\"\(argument.signature)\""
        if let direction { text += " direction=\"\(direction)\"" }
        text += "/>"
    }
}
