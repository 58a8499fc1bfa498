import Headgate

// Code at the top level of a file belongs to the main actor.
var sum = 0

await (1...10).publisher.forEach { sum += $0 }

let listener = (1...10).publisher.sink(isolation: #isolation) { sum += $0 }
while sum < 110 { await Task.yield() }
listener.cancel()

for await square in (1...3).publisher.asyncMap({ $0 * $0 }).values { sum += square }
let last = await (1...3).publisher.lastValue
print(sum, last ?? 0)
