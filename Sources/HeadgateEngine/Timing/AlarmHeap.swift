/// A heap of items by due time; items with equal due times leave in the order of their insertion.
///
/// Insertion and removal take logarithmic time.
@usableFromInline package struct AlarmHeap<Time: Comparable, Item> {
    @usableFromInline struct Node {
        @usableFromInline let date: Time

        /// Orders items with equal due times.
        @usableFromInline let order: UInt64

        @usableFromInline let item: Item

        @inlinable init(date: Time, order: UInt64, item: Item) {
            self.date = date
            self.order = order
            self.item = item
        }

        @inlinable static func < (lhs: Node, rhs: Node) -> Bool {
            lhs.date == rhs.date ? lhs.order < rhs.order : lhs.date < rhs.date
        }
    }

    // A binary tree: the children of the node at i are at 2i + 1 and 2i + 2, and neither is earlier.
    @usableFromInline var nodes: [Node] = []

    @usableFromInline var nextOrder: UInt64 = 0

    @inlinable package init() {}

    @inlinable package var count: Int { nodes.count }

    /// The earliest due time.
    @inlinable package var date: Time? { nodes.first?.date }

    /// Inserts an item.
    ///
    /// - Returns: Whether it is now the earliest.
    @discardableResult @inlinable package mutating func insert(_ item: Item, at date: Time) -> Bool {
        nextOrder &+= 1
        nodes.append(Node(date: date, order: nextOrder, item: item))
        var place = nodes.count - 1
        while place > 0, nodes[place] < nodes[(place - 1) / 2] {
            nodes.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
        return place == 0
    }

    /// The earliest item, and when it is due.
    @inlinable package var first: (item: Item, date: Time)? { nodes.first.map { ($0.item, $0.date) } }

    /// Removes the earliest item, of which there has to be one, or inserts it again for another time.
    @inlinable package mutating func moveFirst(to date: Time?) {
        guard let date, let item = nodes.first?.item else { return removeFirst() }
        nextOrder &+= 1
        nodes[0] = Node(date: date, order: nextOrder, item: item)
        sink(from: 0)
    }

    /// Removes the earliest item, of which there has to be one.
    @inlinable package mutating func removeFirst() {
        nodes.swapAt(0, nodes.count - 1)
        nodes.removeLast()
        sink(from: 0)
    }

    /// Removes all items that are due, in their order.
    @inlinable package mutating func removeAll(dueAt moment: Time) -> [Item] {
        var due: [Item] = []
        while let first = nodes.first, first.date <= moment {
            removeFirst()
            due.append(first.item)
        }
        return due
    }

    /// Removes all items that satisfy a predicate, and releases the unused capacity, in linear time.
    @inlinable package mutating func removeAll(where isUseless: (Item) -> Bool) -> [Item] {
        var removed: [Item] = []
        var kept: [Node] = []
        for node in nodes {
            if isUseless(node.item) { removed.append(node.item) } else { kept.append(node) }
        }
        nodes = kept
        for place in stride(from: nodes.count / 2 - 1, through: 0, by: -1) { sink(from: place) }
        return removed
    }

    @inlinable mutating func sink(from start: Int) {
        var place = start
        while 2 * place + 1 < nodes.count {
            var child = 2 * place + 1
            if child + 1 < nodes.count, nodes[child + 1] < nodes[child] { child += 1 }
            if !(nodes[child] < nodes[place]) { return }
            nodes.swapAt(place, child)
            place = child
        }
    }
}
