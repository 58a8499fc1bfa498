/// A collection with fast access to its least element.
struct Heap<Element: Comparable> {
    // A binary tree: the children of the element at i are at 2i + 1 and 2i + 2, and neither is less.
    private var elements: [Element] = []

    /// The least element.
    var first: Element? { elements.first }

    mutating func insert(_ element: Element) {
        elements.append(element)
        var place = elements.count - 1
        while place > 0, elements[place] < elements[(place - 1) / 2] {
            elements.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    /// Removes the least element.
    mutating func removeFirst() {
        elements.swapAt(0, elements.count - 1)
        elements.removeLast()
        var place = 0
        while 2 * place + 1 < elements.count {
            var child = 2 * place + 1
            if child + 1 < elements.count, elements[child + 1] < elements[child] { child += 1 }
            if elements[place] <= elements[child] { return }
            elements.swapAt(place, child)
            place = child
        }
    }
}
