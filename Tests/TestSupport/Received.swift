import HeadgateTesting

extension TestSubscriber {
    /// What the subscriber heard, in order, without what it said itself.
    public var received: [StreamEvent<Input, Failure>] {
        events.filter {
            switch $0 {
            case .subscription, .value, .completion: true
            case .request, .answer, .cancel: false
            }
        }
    }
}
