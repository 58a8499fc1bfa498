// The same, cut in two.
let multiples = (1...100).publisher
    .map { $0 + 1 }
    .filter { $0 % 2 == 0 }
    .map { $0 * 3 }
_ = multiples
    .flatMap { (0..<$0).publisher }
    .map { $0 - 1 }
    .filter { $0 > 10 }
    .map { "\($0)" }
    .collect()
    .sink { print($0) }
