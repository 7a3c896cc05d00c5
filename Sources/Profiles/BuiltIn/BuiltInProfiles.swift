/// The profiles that the program brings with it, each the text of a file.
package enum BuiltInProfiles {
    /// All of them, as text: the files that somebody may copy and change.
    package static let texts: [String] =
        bthome + ruuvi + thermometers + [xiaomi] + govee + inkbird + beacons + services + health + sports

    /// All of them that are valid; a test sees to it that none is missing.
    package static let all: [Profile] = texts.compactMap { text in
        // One that is not valid is left out: a fault of the program that its tests find.
        try? ProfileParser.parse(Array(text.utf8))
    }

    /// The text of a profile.
    package static func text(of id: String) -> String? { texts.first { $0.hasPrefix("profile: \(id)\n") } }
}
