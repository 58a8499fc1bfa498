/// Bad code of every kind, each piece to be caught by the rule that it breaks.
enum Museum {
    /// The exhibits, by the kind of thing that they pretend to be.
    static var halls: [(name: String, exhibits: [Exhibit])] {
        [
            ("Publishers", BadPublishers.exhibits + BadBeginnings.exhibits),
            ("Timers", BadTimers.exhibits),
            ("Controls and holders", BadControls.exhibits),
            ("Operators", BadOperators.exhibits + BadRelays.exhibits),
            ("Operators that join", BadFlattening.exhibits + BadJoining.exhibits),
            ("Operators that share", BadSharing.exhibits),
            ("Operators that count time", BadTiming.exhibits),
            ("Subjects", PlainSubject.exhibits + CrowdedSubject.exhibits),
            ("Subscribers", PlainSubscriber.exhibits),
            ("Models", BadModels.exhibits),
            ("Schedulers", PlainScheduler.exhibits),
            ("Where threads meet", BadThreading.exhibits + ThreadedSubject.exhibits + QueueingSubject.exhibits),
        ]
    }
}
