package import Frames

/// How Home Assistant shows a value, an event or a command.
package struct Display: Sendable, Equatable {
    /// What it is there.
    package enum Component: String, Sendable, CaseIterable {
        case sensor
        case binarySensor = "binary_sensor"
        case event
        case `switch`
        case number
        case select
        case button
        case text
        case light
    }

    /// Where it stands there.
    package enum Category: String, Sendable, CaseIterable { case config, diagnostic }

    package var component: Component
    /// The friendly name; nil: Home Assistant's own for the class, else made of the value's name.
    package var name: String?
    package var deviceClass: String?
    package var stateClass: String?
    package var category: Category?
    package var icon: String?
    /// The digits behind the point that are shown.
    package var precision: Int?
    /// Whether the entity is enabled at first.
    package var isEnabled: Bool
    /// For `number`: the values that may be set, and the step between them; for `text` the lengths.
    package var minimum: DecimalNumber?
    package var maximum: DecimalNumber?
    package var step: DecimalNumber?
    /// For `light`: the name of the value that is its brightness, and what full brightness is.
    package var brightness: String?
    package var brightnessScale: Int?

    package init(_ component: Component) {
        self.component = component
        isEnabled = true
    }
}
