/// The profiles that the program brings with it.
package enum BuiltInProfiles {
    package static let all: [Profile] = []
}
