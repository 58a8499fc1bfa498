import Headgate

/// `pausableSink` asks for one value after the other, until its closure answers false; `resume()` goes on.
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
