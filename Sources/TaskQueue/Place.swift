/// The index of something in an array, in four bytes: there may be millions.
typealias Place = Int32

extension Place {
    /// Where nothing is.
    static var none: Place { -1 }
}

extension Array {
    /// The element at a place, changed where it lies.
    subscript(place: Place) -> Element {
        get { self[Int(place)] }
        _modify { yield &self[Int(place)] }
    }
}
