// Eight operators in one statement with a flatMap in their middle, no type written down.
_ = (1...100).publisher
    .map { $0 + 1 }
    .filter { $0 % 2 == 0 }
    .map { $0 * 3 }
    .flatMap { (0..<$0).publisher }
    .map { $0 - 1 }
    .filter { $0 > 10 }
    .map { "\($0)" }
    .collect()
    .sink { print($0) }
