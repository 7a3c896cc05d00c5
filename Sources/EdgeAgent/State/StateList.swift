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

    /// The bytes of a file that holds a list.
    ///
    /// - Parameters:
    ///   - name: The name of the list.
    ///   - version: The schema version of the file.
    ///   - elements: What the list holds.
    ///   - elementBytes: About how many bytes one of them has.
    ///   - write: Writes one of them.
    /// - Returns: The content of the file.
    static func encode<Element>(
        _ name: StaticString,
        version: Int64,
        _ elements: [Element],
        elementBytes: Int,
        _ write: (inout JSONWriter, Element) -> Void
    ) -> [UInt8] {
        var writer = JSONWriter(capacity: 64 + elements.count * elementBytes)
        writer.beginObject()
        writer.field("version", version)
        writer.field(name, array: elements, write)
        writer.endObject()
        return writer.bytes
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
