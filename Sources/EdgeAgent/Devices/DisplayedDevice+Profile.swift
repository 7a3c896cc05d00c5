internal import Frames
package import Profiles

extension DisplayedDevice {
    /// Adds what profiles show of a device.
    ///
    /// What can be set or pressed is shown at once, everything else when the device has told it once: a profile may
    /// describe many values of which each device has a few.
    ///
    /// - Parameters:
    ///   - profiles: Those of the device, the one that counts first at the front.
    ///   - names: What the device has told so far.
    ///   - values: What it has told in this life, for the units.
    package mutating func add(_ profiles: [Profile], told names: KeptProfiles.Names, _ values: [DecodedValue]) {
        for profile in profiles {
            manufacturer = manufacturer ?? profile.manufacturer
            model = model ?? profile.model ?? profile.title
            isShared = isShared || profile.isShared
            // The brightness of a light is shown by the light.
            let hidden = Set(
                profile.values.compactMap { $0.display?.component == .light ? $0.display?.brightness : nil }
            )
            let settable = profile.values.map(\.name).filter { profile.command(forSetting: $0)?.sets == $0 }
            for name in settable + names.values where !hidden.contains(name) {
                guard let value = profile.value(named: name), let display = value.display else { continue }
                let unit = values.first { $0.name == name }?.unit ?? value.unit
                add(DisplayedValue(name, value, display, unit: unit, of: profile))
            }
            for name in names.events {
                let base = profile.events.first { name == $0.name || name.hasPrefix($0.name + "_") }
                guard let event = base, let display = event.display else { continue }
                var shown = DisplayedValue(name, .event(event.types))
                shown.take(display, title: Self.title(name, of: event.name, display))
                add(shown)
            }
            for command in profile.commands {
                guard let display = command.display, display.component == .button else { continue }
                var shown = DisplayedValue(command.name, .button)
                shown.take(display, title: display.name ?? command.title ?? Self.title(command.name, of: command.name))
                add(shown)
            }
        }
    }

    private mutating func add(_ value: DisplayedValue?) {
        guard let value, !values.contains(where: { $0.name == value.name }) else { return }
        values.append(value)
    }

    /// A title for people: that of the display, the name of the class where there is one, else made of the name.
    fileprivate static func title(_ name: String, of base: String, _ display: Display? = nil) -> String? {
        let number = name.dropFirst(base.count).drop { $0 == "_" }
        if let given = display?.name { return number.isEmpty ? given : "\(given) \(number)" }
        if display?.deviceClass != nil, number.isEmpty { return nil }
        let words = name.split(whereSeparator: { $0 == "_" || $0 == "-" }).joined(separator: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }
}

extension DisplayedValue {
    fileprivate init?(_ name: String, _ value: ValueDescription, _ display: Display, unit: String?, of profile: Profile)
    {
        let command = profile.command(forSetting: value.name).flatMap { $0.sets == value.name ? $0 : nil }
        let argument = command?.arguments.first { $0.standard == nil } ?? command?.arguments.first
        let kind: Kind
        switch display.component {
        case .sensor: kind = value.options.isEmpty ? .sensor : .choice(value.options)
        case .binarySensor: kind = .binarySensor
        // What nobody can set is only looked at.
        case .switch, .light: kind = command == nil ? .binarySensor : Self.lit(display, of: profile)
        case .number, .select, .text:
            guard command != nil else {
                kind = value.options.isEmpty ? .sensor : .choice(value.options)
                break
            }
            kind = Self.set(display, value, argument)
        case .event, .button: return nil
        }
        self.init(name, kind)
        take(display, title: DisplayedDevice.title(name, of: value.name, display))
        switch kind {
        case .sensor, .number: self.unit = unit
        default: break
        }
    }

    private static func lit(_ display: Display, of profile: Profile) -> Kind {
        guard display.component == .light else { return .switch }
        guard let value = display.brightness, profile.command(forSetting: value) != nil else {
            return .light(brightness: nil)
        }
        return .light(brightness: Brightness(value: value, command: value, scale: display.brightnessScale ?? 255))
    }

    private static func set(_ display: Display, _ value: ValueDescription, _ argument: CommandArgument?) -> Kind {
        switch display.component {
        case .select: return .select(value.options.isEmpty ? argument?.options ?? [] : value.options)
        case .text:
            let longest = (display.maximum ?? argument?.maximum)?.double ?? 255
            return .text(maximumLength: Int(max(1, min(longest, 255))))
        default:
            let least = (display.minimum ?? argument?.minimum ?? value.minimum)?.double ?? 0
            let most = (display.maximum ?? argument?.maximum ?? value.maximum)?.double ?? 100
            let step = (display.step ?? argument?.step ?? argument?.field.scale)?.double
            return .number(min(least, most)...max(least, most), step: step)
        }
    }

    fileprivate mutating func take(_ display: Display, title: String?) {
        self.title = title
        deviceClass = display.deviceClass
        stateClass = display.stateClass.flatMap { HomeStateClass(rawValue: $0) }
        category = display.category.flatMap { HomeCategory(rawValue: $0.rawValue) }
        icon = display.icon
        precision = display.precision
        isEnabled = display.isEnabled
    }
}
