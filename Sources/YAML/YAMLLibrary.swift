internal import CYAML

/// The library behind this module.
package enum YAMLLibrary {
    /// The version of libyaml that the program runs with.
    package static var version: String { String(cString: yaml_get_version_string()) }
}
