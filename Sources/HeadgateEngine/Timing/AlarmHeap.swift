/// A heap of items by due time; items with equal due times leave in the order of their insertion.
@usableFromInline package struct AlarmHeap<Time: Comparable, Item> {
    @usableFromInline struct Node: Comparable {
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

        @inlinable static func == (lhs: Node, rhs: Node) -> Bool { lhs.order == rhs.order }
    }

    @usableFromInline var nodes = Heap<Node>()

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
        return nodes.insert(Node(date: date, order: nextOrder, item: item))
    }

    /// The earliest item, and when it is due.
    @inlinable package var first: (item: Item, date: Time)? { nodes.first.map { ($0.item, $0.date) } }

    /// Removes the earliest item, of which there has to be one, or inserts it again for another time.
    @inlinable package mutating func moveFirst(to date: Time?) {
        guard let date, let item = nodes.first?.item else { return nodes.removeFirst() }
        nextOrder &+= 1
        nodes.replaceFirst(with: Node(date: date, order: nextOrder, item: item))
    }

    /// Removes all items that are due, in their order.
    @inlinable package mutating func removeAll(dueAt moment: Time) -> [Item] {
        var due: [Item] = []
        while let first = nodes.first, first.date <= moment {
            nodes.removeFirst()
            due.append(first.item)
        }
        return due
    }

    /// Removes all items that satisfy a predicate, and releases the unused capacity, in linear time.
    @inlinable package mutating func removeAll(where isUseless: (Item) -> Bool) -> [Item] {
        nodes.removeAll { isUseless($0.item) }.map(\.item)
    }
}
