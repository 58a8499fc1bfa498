/// Elements by numbers that others keep, so that nobody searches for one.
struct Places<Element> {
    /// The elements by their numbers; nothing where there is none, or none any more.
    var elements: [Element?] = []

    private var free: [Int] = []

    init() {}

    /// Whether nobody keeps a number.
    var areFree: Bool { free.count == elements.count }

    /// - Returns: The number of the element.
    mutating func add(_ element: Element) -> Int {
        if let place = free.popLast() {
            elements[place] = element
            return place
        }
        elements.append(element)
        return elements.count - 1
    }

    /// Removes what has a number, if it is there yet: who has kept the number does so no more, and another may get it.
    mutating func free(_ place: Int) {
        elements[place] = nil
        free.append(place)
    }
}
