/// Bad code of every kind, each piece to be caught by the rule that it breaks.
enum Museum {
    /// The exhibits, by the kind of thing that they pretend to be.
    static var halls: [(name: String, exhibits: [Exhibit])] {
        [
            ("Publishers", BadPublishers.exhibits + BadBeginnings.exhibits),
            ("Timers", BadTimers.exhibits),
            ("Controls and holders", BadControls.exhibits),
            ("Operators", BadOperators.exhibits + BadRelays.exhibits + BadDemand.exhibits + BadOrder.exhibits),
            ("Operators with several upstreams", BadFlattening.exhibits + BadJoining.exhibits),
            ("Operators that share", BadSharing.exhibits),
            ("Timed operators", BadTiming.exhibits),
            ("Subjects", PlainSubject.exhibits + CrowdedSubject.exhibits + ReplayingSubject.exhibits),
            ("Subscribers", PlainSubscriber.exhibits),
            ("Models", BadModels.exhibits),
            ("Schedulers", PlainScheduler.exhibits),
            (
                "Concurrency",
                BadThreading.exhibits + BadCallbacks.exhibits + ThreadedSubject.exhibits + QueueingSubject.exhibits
                    + RacingSubscriber.exhibits
            ),
        ]
    }
}
