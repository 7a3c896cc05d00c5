/// The compressed form of a URL in an Eddystone frame.
///
/// Source: github.com/google/eddystone, eddystone-url: a byte for the scheme, then ASCII in which some bytes stand for
/// the end of a host name. All others are reserved.
enum EddystoneURL {
    private static let schemes = ["http://www.", "https://www.", "http://", "https://"]
    private static let ends = [
        ".com/", ".org/", ".edu/", ".net/", ".info/", ".biz/", ".gov/", ".com", ".org", ".edu", ".net", ".info", ".biz",
        ".gov",
    ]

    /// The URL; nil for a scheme or a byte that is reserved, and for one without anything behind the scheme.
    static func text(of bytes: ArraySlice<UInt8>) -> String? {
        guard let scheme = bytes.first, Int(scheme) < schemes.count, bytes.count > 1 else { return nil }
        var url = schemes[Int(scheme)]
        for byte in bytes.dropFirst() {
            switch byte {
            case _ where Int(byte) < ends.count: url += ends[Int(byte)]
            case 0x21...0x7E: url.unicodeScalars.append(Unicode.Scalar(byte))
            default: return nil
            }
        }
        return url
    }
}
