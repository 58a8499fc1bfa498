/// The failure that tests send.
enum TestError: Error, Hashable { case first, second }
