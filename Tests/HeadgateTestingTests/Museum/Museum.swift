/// Bad code of every kind, each piece to be caught by the rule that it breaks.
enum Museum {
    /// The exhibits, by the kind of thing that they pretend to be.
    static var halls: [(name: String, exhibits: [Exhibit])] {
        [
            ("Publishers", BadPublishers.exhibits),
            ("Timers", BadTimers.exhibits),
            ("Operators", BadOperators.exhibits),
            ("Subjects", PlainSubject.exhibits),
            ("Subscribers", PlainSubscriber.exhibits),
            ("Schedulers", PlainScheduler.exhibits),
        ]
    }
}
