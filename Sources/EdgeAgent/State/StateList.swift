/// The form that files of the state directory share: an object with a schema version and one list.
enum StateList {
    /// Reads the list of a file.
    ///
    /// - Throws: ``StateFailure`` when it is none, or of a newer agent.
    static func read(
        _ name: String,
        in bytes: [UInt8],
        version known: Int64,
        maxBytes: Int,
        path: String
    ) throws(StateFailure) -> [JSONValue] {
        let root: JSONValue
        do throws(JSONFailure) {
            root = try JSONReader(maxBytes: maxBytes).read(bytes)
        } catch {
            throw .unreadable(path: path, reason: "is no JSON that can be read: \(error)")
        }
        guard let object = root.object, let version = object["version"]?.integer else {
            throw .unreadable(path: path, reason: "has no version")
        }
        guard version <= known else { throw .newer(path: path, version: version, known: known) }
        guard let list = object[name]?.array else { throw .unreadable(path: path, reason: "has no list of \(name)") }
        return list
    }

    /// Makes something of each element.
    ///
    /// - Throws: ``StateFailure`` that names the first of which nothing can be made.
    static func map<Element>(
        _ list: [JSONValue],
        path: String,
        _ make: (JSONObject) -> Element?
    ) throws(StateFailure) -> [Element] {
        var elements: [Element] = []
        for (place, value) in list.enumerated() {
            guard let element = value.object.flatMap(make) else {
                throw .unreadable(path: path, reason: "entry \(place) is not one")
            }
            elements.append(element)
        }
        return elements
    }
}
