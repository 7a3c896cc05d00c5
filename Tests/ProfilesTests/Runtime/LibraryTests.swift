import BleCore
import Frames
import Profiles
import Testing

@Suite(.timeLimit(.minutes(10))) struct LibraryTests {
    private func profile(_ id: String, _ match: String, _ more: String = "") throws -> Profile {
        try Profile(
            yaml:
                "profile: \(id)\ntitle: T\nmatch: \(match)\n\(more)\nsources: [{name: true, fields: [{name: a, type: utf8}]}]"
        )
    }

    @Test(
        arguments: [
            ("GVH5075_*", "GVH5075_2762", true), ("GVH5075_*", "GVH5075_", true), ("GVH5075_*", "xGVH5075_1", false),
            ("H?", "H1", true), ("H?", "H", false), ("H?", "H12", false), ("*", "", true), ("", "", true),
            ("", "a", false),
            ("a*b*c", "aXXbYYc", true), ("a*b*c", "abc", true), ("a*b*c", "acb", false), ("*é?", "xéy", true),
            ("sps", "SPS", false), ("**a**", "bab", true),
        ] as [(String, String, Bool)]
    ) func `a name fits its mask`(mask: String, name: String, fits: Bool) {
        #expect(NameMask(mask).matches(name) == fits)
    }

    @Test func `a hostile name costs its length`() {
        let mask = NameMask(String(repeating: "*a", count: 100) + "b")
        #expect(!mask.matches(String(repeating: "a", count: 248)))
    }

    @Test func `every part of a match has to hold`() throws {
        let text =
            "{name: x, services: [180f], manufacturer: {id: \"0499\", prefix: \"05ff\", mask: \"ff0f\", length: 3}, "
            + "serviceData: {uuid: fcd2, prefix: \"40\"}, addresses: [a4c1]}"
        let library = ProfileLibrary([try profile("p", text)])
        let whole = try heard(
            name: "x",
            services: [0x180F, 0x180A],
            manufacturer: [0x0499: [5, 0x3F, 1]],
            serviceData: [0xFCD2: [0x40]]
        )
        #expect(library.profiles(of: whole).count == 1)
        let changes: [(inout Advertisement) -> Void] = [
            { $0.name = "y" }, { $0.name = nil }, { $0.services = [] }, { $0.manufacturerData = [:] },
            { $0.manufacturerData[0x0499] = [5, 0x3E, 1] }, { $0.manufacturerData[0x0499] = [5, 0x3F] },
            { $0.serviceData[0xFCD2] = [0x41] }, { $0.serviceData = [:] },
            { $0.address = DeviceAddress("A5:C1:00:00:00:00") ?? $0.address },
        ]
        for change in changes {
            var device = whole
            change(&device)
            #expect(library.profiles(of: device).isEmpty)
        }
    }

    @Test func `a device is found by whatever a rule asks for, and each profile once, in their order`() throws {
        let library = ProfileLibrary([
            try profile("name", "{name: x}"), try profile("address", "{addresses: [a4c1]}"),
            try profile("any", "{manufacturer: {id: any, length: 4}}"),
            try profile("company", "{manufacturer: {id: \"0499\", length: 3}}"),
            try profile("data", "[{serviceData: fcd2}, {services: 180f}, {name: x}]"),
            try profile("service", "{services: 180a}"),
        ])
        func found(_ device: Advertisement) -> [String] { library.profiles(of: device).map(\.id) }
        var device = try heard()
        device.address = try #require(DeviceAddress("A5:C1:00:00:00:00"))
        #expect(found(device).isEmpty)
        device.services = try [0x180A, 0x180F].map { try #require(BluetoothUUID(String($0, radix: 16))) }
        #expect(found(device) == ["data", "service"])
        device.manufacturerData = [0x0001: [1, 2]]
        #expect(found(device) == ["any", "data", "service"])
        device.manufacturerData = [0x0001: [1, 2], 0x0499: [1, 2, 3]]
        device.serviceData = [try #require(BluetoothUUID("fcd2")): []]
        #expect(found(device) == ["company", "data", "service"])
        device.name = "x"
        device.address = try #require(DeviceAddress("A4:C1:00:00:00:00"))
        #expect(found(device) == ["name", "address", "company", "data", "service"])
    }

    @Test func `one of several ways suffices, and a fallback only where there is no other`() throws {
        let library = ProfileLibrary([
            try profile("back", "{services: 180f}", "fallback: true"), try profile("a", "[{name: x}, {name: y}]"),
            try profile("b", "{services: 180f}"),
        ])
        #expect(library.profiles(of: try heard(name: "y")).map(\.id) == ["a"])
        #expect(library.profiles(of: try heard(name: "x", services: [0x180F])).map(\.id) == ["a", "b"])
        #expect(ProfileLibrary([library.profiles[0]]).profiles(of: try heard(services: [0x180F])).map(\.id) == ["back"])
        #expect(library.profiles(of: try heard()).isEmpty)
    }

    @Test func `a profile of a file replaces the built-in one of its id`() throws {
        let mine = try profile("bthome", "{name: mine}")
        let library = ProfileLibrary.builtIn(adding: [mine])
        #expect(library["bthome"] == mine && library["ruuvi-5"] != nil && library["none"] == nil)
        #expect(library.profiles.count == BuiltInProfiles.all.count)
    }

    @Test func `a profile without match is for devices that name it`() throws {
        let text = "profile: p\ntitle: P\nsources: [{manufacturer: \"0499\", fields: [{name: a, type: u8}]}]"
        var reader = AdvertisementReader(library: ProfileLibrary([try Profile(yaml: text)]))
        let device = try heard(manufacturer: [0x0499: [7]])
        #expect(reader.read(device, at: .zero).isEmpty)
        #expect(reader.read(device, boundTo: "p", at: .zero)["a"] == number("7"))
        #expect(reader.read(device, boundTo: "q", at: .zero).isEmpty)
    }

    @Test func `a device with several profiles tells what each of them reads`() throws {
        var reader = AdvertisementReader(library: .builtIn())
        let device = try heard(
            manufacturer: [0x0499: hex("0512fc5394c37c0004fffc040cac364200cdcbb8334c884f")],
            serviceData: [0xFCD2: hex("400164")]
        )
        let reading = reader.read(device, at: .zero)
        #expect(Set(reading.profiles) == ["bthome", "ruuvi-5"])
        #expect(reading["battery"] == number("100") && reading["temperature"] == number("24.3"))
        #expect(reading["mac"] == .text("CB:B8:33:4C:88:4F") && reading["battery_mv"] == number("2977"))
    }
}
