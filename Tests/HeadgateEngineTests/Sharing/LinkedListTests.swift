import HeadgateEngine
import XCTest

/// The list, in every order of calls up to a length, beside an array.
final class LinkedListTests: XCTestCase {
    private final class Member: Linked {
        var next: Member?
        unowned(unsafe) var previous: Member?
    }

    /// What happens to the list: the members 0 to 2 are added and removed, and 3 removes all.
    private enum Call: CaseIterable {
        case add0, add1, add2, remove0, remove1, remove2, removeAll
    }

    func test_keepsTheOrderWhateverIsAddedAndRemoved() {
        func go(on calls: [Call], length: Int) {
            check(calls)
            if length > 0 { for call in Call.allCases { go(on: calls + [call], length: length - 1) } }
        }
        go(on: [], length: 5)
    }

    private func check(_ calls: [Call]) {
        let members = (0..<3).map { _ in Member() }
        var list = LinkedList<Member>()
        var model: [Int] = []
        func add(_ index: Int) {
            if model.contains(index) { return }
            list.append(members[index])
            model.append(index)
        }
        func remove(_ index: Int) {
            list.remove(members[index])
            model.removeAll { $0 == index }
        }
        for call in calls {
            switch call {
            case .add0: add(0)
            case .add1: add(1)
            case .add2: add(2)
            case .remove0: remove(0)
            case .remove1: remove(1)
            case .remove2: remove(2)
            case .removeAll:
                list.removeAll()
                model = []
            }
        }
        var found: [Int?] = []
        var member = list.first
        while let current = member {
            found.append(members.firstIndex { $0 === current })
            member = current.next
        }
        XCTAssertEqual(found, model, "\(calls)")
        XCTAssertTrue(list.last === model.last.map { members[$0] }, "\(calls)")
        XCTAssertTrue(members.indices.allSatisfy { model.contains($0) || members[$0].next == nil }, "\(calls)")
    }
}
