/// A collection with fast access to its least element.
///
/// Insertion and removal take logarithmic time.
@usableFromInline package struct Heap<Element: Comparable> {
    // A binary tree: the children of the element at i are at 2i + 1 and 2i + 2, and neither is less.
    @usableFromInline var elements: [Element] = []

    @inlinable package init() {}

    @inlinable package var count: Int { elements.count }

    /// The least element.
    @inlinable package var first: Element? { elements.first }

    /// Inserts an element.
    ///
    /// - Returns: Whether it is now the least.
    @discardableResult @inlinable package mutating func insert(_ element: Element) -> Bool {
        elements.append(element)
        var place = elements.count - 1
        while place > 0, elements[place] < elements[(place - 1) / 2] {
            elements.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
        return place == 0
    }

    /// Removes the least element, of which there has to be one.
    @inlinable package mutating func removeFirst() {
        elements.swapAt(0, elements.count - 1)
        elements.removeLast()
        sink(from: 0)
    }

    /// Replaces the least element, of which there has to be one.
    @inlinable package mutating func replaceFirst(with element: Element) {
        elements[0] = element
        if elements.count > 1 { sink(from: 0) }
    }

    /// Removes all elements that satisfy a predicate, and releases the unused capacity, in linear time.
    @inlinable package mutating func removeAll(where isUseless: (Element) -> Bool) -> [Element] {
        var removed: [Element] = []
        var kept: [Element] = []
        for element in elements {
            if isUseless(element) { removed.append(element) } else { kept.append(element) }
        }
        elements = kept
        for place in stride(from: elements.count / 2 - 1, through: 0, by: -1) { sink(from: place) }
        return removed
    }

    @inlinable mutating func sink(from start: Int) {
        var place = start
        while 2 * place + 1 < elements.count {
            var child = 2 * place + 1
            if child + 1 < elements.count, elements[child + 1] < elements[child] { child += 1 }
            if elements[place] <= elements[child] { return }
            elements.swapAt(place, child)
            place = child
        }
    }
}
