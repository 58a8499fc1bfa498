// The same, with the types of what goes into and comes out of the flatMap.
_ = (1...100).publisher
    .map { $0 + 1 }
    .filter { $0 % 2 == 0 }
    .map { $0 * 3 }
    .flatMap { (count: Int) in (0..<count).publisher }
    .map { (number: Int) -> Int in number - 1 }
    .filter { $0 > 10 }
    .map { "\($0)" }
    .collect()
    .sink { print($0) }
