/// The last confirmed values of one device, and when they are worth telling again.
///
/// Pure: what changed is told at once, but not more often than the minimum interval; what did not change is not told.
package struct ValueState: Sendable, Equatable {
    /// The least time between two publications.
    package var minimumInterval: Duration
    /// By order of first sight, each name once.
    package private(set) var values: [DecodedValue] = []
    private var hasChanged = false
    private var published: Duration?

    /// Begins without values.
    package init(minimumInterval: Duration = .seconds(1)) { self.minimumInterval = minimumInterval }

    /// Takes values that the device has told; those that are no state are passed over.
    ///
    /// - Returns: Whether any has changed.
    @discardableResult
    package mutating func take(_ news: [DecodedValue]) -> Bool {
        var isNew = false
        for value in news where value.isState {
            if let place = values.firstIndex(where: { $0.name == value.name }) {
                guard values[place] != value else { continue }
                values[place] = value
            } else {
                values.append(value)
            }
            isNew = true
        }
        hasChanged = hasChanged || isNew
        return isNew
    }

    /// When there is something to tell; nil when there is not.
    package var due: Duration? {
        guard hasChanged else { return nil }
        return published.map { $0 + minimumInterval } ?? .zero
    }

    /// What is to be told now: all values, when one has changed and the interval is over; else nil.
    package mutating func publication(at now: Duration) -> [DecodedValue]? {
        guard let due, due <= now else { return nil }
        hasChanged = false
        published = now
        return values
    }
}
