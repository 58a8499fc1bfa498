// Twelve operators in one statement, no type written down.
_ = (1...100).publisher
    .map { $0 + 1 }
    .filter { $0 % 2 == 0 }
    .map { $0 * 3 }
    .filter { $0 > 10 }
    .map { $0 - 1 }
    .scan(0) { $0 + $1 }
    .dropFirst(2)
    .map { "\($0)" }
    .compactMap { Int($0) }
    .filter { $0 != 7 }
    .map { $0 / 2 }
    .collect()
    .sink { print($0) }
