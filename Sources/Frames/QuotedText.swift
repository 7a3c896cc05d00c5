/// A text between quotation marks, on one line and without control characters, cut after 40 characters.
package func quoted(_ text: some StringProtocol) -> String {
    let limit = 40
    var out = "\""
    var count = 0
    for scalar in text.unicodeScalars {
        if count == limit {
            out += "…"
            break
        }
        out.unicodeScalars.append(isPlain(scalar) ? scalar : "?")
        count += 1
    }
    return out + "\""
}

private func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    guard scalar != "\"" else { return false }
    return switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse: false
    default: true
    }
}
