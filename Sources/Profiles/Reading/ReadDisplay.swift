internal import Frames

/// What a file says of how a value is shown.
enum ReadDisplay {
    /// Nothing: as values of its kind are.
    case standard
    /// `none`.
    case hidden
    case shown(Display)
}

extension ProfileSection {
    /// The key `display`: `none`, or a section.
    ///
    /// - Parameter standard: The component where the section names none.
    /// - Returns: What it says.
    func display(_ standard: Display.Component) -> ReadDisplay {
        guard let value = value("display") else { return .standard }
        if value.scalar == "none" { return .hidden }
        guard let section = ProfileSection(value, problems, "none, or a section of keys") else { return .standard }
        defer { section.finish() }
        var display = Display(section.choice("component", Display.Component.self) ?? standard)
        display.name = section.text("name")
        display.deviceClass = section.name("deviceClass")
        display.stateClass = section.name("stateClass")
        display.category = section.choice("category", Display.Category.self)
        display.icon = section.form("icon", "an icon, as \"mdi:thermometer\"") { text in
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            return parts.count == 2 && parts.allSatisfy({ Self.isName(String($0)) }) ? text : nil
        }
        display.precision = section.number("precision", 0...10)
        display.isEnabled = section.flag("enabled") ?? true
        display.minimum = section.decimal("min")
        display.maximum = section.decimal("max")
        display.step = section.decimal("step")
        display.brightness = section.name("brightness")
        display.brightnessScale = section.number("brightnessScale", 1...65_535)
        if let least = display.minimum, let most = display.maximum, most < least {
            section.problem("max", "is less than min")
        }
        if let step = display.step, step < .zero || step == .zero { section.problem("step", "has to be more than 0") }
        return .shown(display)
    }
}
