import Headgate

/// `pausableSink` requests one value after the other, until its closure returns false; `resume()` continues.
func pausable() {
    let numbers = (1...7).publisher.pausableSink(
        receiveCompletion: { print("  \($0)") },
        receiveValue: { number in
            print("  \(number)")
            return !number.isMultiple(of: 3)
        })
    print("  paused; nothing is read meanwhile")
    numbers.resume()
    print("  paused again")
    numbers.resume()
}
