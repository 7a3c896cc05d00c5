/// A large value that many hold: a copy is one reference, a change makes a copy of its own.
@propertyWrapper
package struct Boxed<Value: Sendable & Equatable>: Sendable, Equatable {
    // Safe because: changed only while nobody else holds it.
    private final class Box: @unchecked Sendable {
        var value: Value
        init(_ value: Value) { self.value = value }
    }

    private var box: Box

    package init(wrappedValue: Value) { box = Box(wrappedValue) }

    package var wrappedValue: Value {
        get { box.value }
        _modify {
            if !isKnownUniquelyReferenced(&box) { box = Box(box.value) }
            yield &box.value
        }
    }

    /// The box itself, for another holder.
    package var projectedValue: Self { self }

    package static func == (left: Self, right: Self) -> Bool {
        left.box === right.box || left.box.value == right.box.value
    }
}
