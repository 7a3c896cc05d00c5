package import BleCore

/// All profiles that are known, and which of them a device has.
package struct ProfileLibrary: Sendable {
    /// In the order in which they are asked: those of files first, then the built-in ones.
    package let profiles: [Profile]
    private let places: [String: Int]
    private let index: ProfileIndex

    /// Makes a library; of two profiles with one id the first counts, so that a file may replace a built-in one.
    package init(_ profiles: [Profile]) {
        var (first, places): ([Profile], [String: Int]) = ([], [:])
        for profile in profiles where places[profile.id] == nil {
            places[profile.id] = first.count
            first.append(profile)
        }
        self.profiles = first
        self.places = places
        index = ProfileIndex(first)
    }

    /// The built-in profiles, with those of files before them.
    package static func builtIn(adding profiles: [Profile] = []) -> ProfileLibrary {
        ProfileLibrary(profiles + BuiltInProfiles.all)
    }

    /// The profile of an id.
    package subscript(id: String) -> Profile? { places[id].map { profiles[$0] } }

    /// The profiles that recognise a device by what it advertises.
    ///
    /// Each piece of an advertisement is for the first profile that reads it; a device may have several profiles.
    /// Fallbacks come only where there is no other.
    package func profiles(of device: Advertisement) -> [Profile] {
        var found: [Profile] = []
        var fallbacks: [Profile] = []
        for place in index.places(for: device)
        where profiles[place].match.contains(where: { $0.holds(for: device) }) {
            if profiles[place].isFallback {
                fallbacks.append(profiles[place])
            } else {
                found.append(profiles[place])
            }
        }
        return found.isEmpty ? fallbacks : found
    }
}
