/// A binary heap of items by due time; items with equal due times leave in the order of their insertion.
///
/// Insertion and removal take logarithmic time.
package struct AlarmHeap<Item> {
    private struct Node {
        let date: UInt64
        /// Orders items with equal due times.
        let order: UInt64
        let item: Item

        func isBefore(_ other: Node) -> Bool { date == other.date ? order < other.order : date < other.date }
    }

    private var nodes: [Node] = []

    private var nextOrder: UInt64 = 0

    package init() {}

    package var count: Int { nodes.count }

    /// The earliest due time.
    package var date: UInt64? { nodes.first?.date }

    package mutating func insert(_ item: Item, at date: UInt64) {
        nodes.append(Node(date: date, order: nextOrder, item: item))
        nextOrder &+= 1
        var place = nodes.count - 1
        while place > 0 {
            let parent = (place - 1) / 2
            if !nodes[place].isBefore(nodes[parent]) { return }
            nodes.swapAt(place, parent)
            place = parent
        }
    }

    /// Removes the earliest item if it is due.
    package mutating func removeFirst(dueAt moment: UInt64) -> Item? {
        guard let first = nodes.first, first.date <= moment else { return nil }
        let last = nodes.removeLast()
        if !nodes.isEmpty {
            nodes[0] = last
            sink(from: 0)
        }
        return first.item
    }

    /// Removes all items that satisfy a predicate, and releases the unused capacity, in linear time.
    package mutating func removeAll(where isUseless: (Item) -> Bool) -> [Item] {
        var removed: [Item] = []
        var kept: [Node] = []
        for node in nodes {
            if isUseless(node.item) { removed.append(node.item) } else { kept.append(node) }
        }
        nodes = kept
        for place in stride(from: nodes.count / 2 - 1, through: 0, by: -1) { sink(from: place) }
        return removed
    }

    private mutating func sink(from place: Int) {
        var place = place
        while true {
            var least = 2 * place + 1
            if least >= nodes.count { return }
            if least + 1 < nodes.count, nodes[least + 1].isBefore(nodes[least]) { least += 1 }
            if !nodes[least].isBefore(nodes[place]) { return }
            nodes.swapAt(least, place)
            place = least
        }
    }
}
