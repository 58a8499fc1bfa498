/// A titled group.
struct Family<Member> {
    let title: String
    let members: [Member]

    init(_ title: String, _ members: [Member]) {
        self.title = title
        self.members = members
    }

    func map<Other>(_ transform: (Member) -> Other) -> Family<Other> {
        Family<Other>(title, members.map(transform))
    }
}
