internal import DBus

/// The interfaces that gdbus itself gives to objects.
enum GenericInterfaces {
    static let introspectable = InterfaceDescription(
        BusNames.introspectable,
        methods: [.init("Introspect", out: [.init("xml", "s")])]
    )

    static let properties = InterfaceDescription(
        BusNames.properties,
        methods: [
            .init("Get", in: [.init("interface", "s"), .init("name", "s")], out: [.init("value", "v")]),
            .init("Set", in: [.init("interface", "s"), .init("name", "s"), .init("value", "v")]),
            .init("GetAll", in: [.init("interface", "s")], out: [.init("properties", "a{sv}")]),
        ],
        signals: [
            .init(
                "PropertiesChanged",
                in: [
                    .init("interface", "s"), .init("changed_properties", "a{sv}"),
                    .init("invalidated_properties", "as"),
                ]
            )
        ]
    )

    static let objectManager = InterfaceDescription(
        BusNames.objectManager,
        methods: [.init("GetManagedObjects", out: [.init("objects", "a{oa{sa{sv}}}")])],
        signals: [
            .init("InterfacesAdded", in: [.init("object", "o"), .init("interfaces", "a{sa{sv}}")]),
            .init("InterfacesRemoved", in: [.init("object", "o"), .init("interfaces", "as")]),
        ]
    )
}
