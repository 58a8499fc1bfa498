import Headgate
@_optimize(none) @inline(never) func opaque<A, B>(_ f: @escaping (A) -> B) -> (A) -> B { f }
final class Box { var sum = 0 }
let n = Int(CommandLine.arguments[2])!
let box = Box()
let add: (Int) -> Void = opaque { box.sum &+= $0 }
let inc: (Int) -> Int = opaque { $0 &+ 1 }
let even: (Int) -> Bool = opaque { $0 & 1 == 0 }
func run(_ name: String, n: Int) {
    switch name {
    case "range": _ = (0..<n).publisher.sink(receiveValue: add)
    case "plain-range": for i in 0..<n { add(i) }
    case "mapfilter": _ = (0..<n).publisher.map(inc).filter(even).sink(receiveValue: add)
    case "plain-mapfilter": for i in 0..<n { let j = inc(i); if even(j) { add(j) } }
    case "tenmaps": _ = (0..<n).publisher.map(inc).map(inc).map(inc).map(inc).map(inc).map(inc).map(inc).map(inc).map(inc).map(inc).sink(receiveValue: add)
    case "tenliterals": _ = (0..<n).publisher.map{$0 &+ 1}.map{$0 &+ 1}.map{$0 &+ 1}.map{$0 &+ 1}.map{$0 &+ 1}.map{$0 &+ 1}.map{$0 &+ 1}.map{$0 &+ 1}.map{$0 &+ 1}.map{$0 &+ 1}.sink(receiveValue: add)
    case "tenerased":
        var p = (0..<n).publisher.eraseToAnyPublisher()
        for _ in 0..<10 { p = p.map(inc).eraseToAnyPublisher() }
        _ = p.sink(receiveValue: add)
    case "one": for _ in 0..<n { _ = (0..<1).publisher.map(inc).filter(even).sink(receiveValue: add) }
    case "subject":
        let p = PassthroughSubject<Int, Never>(); let c = p.sink(receiveValue: add); for i in 0..<n { p.send(i) }; c.cancel()
    case "subjectmf":
        let p = PassthroughSubject<Int, Never>(); let c = p.map(inc).filter(even).sink(receiveValue: add); for i in 0..<n { p.send(i) }; c.cancel()
    case "subject100":
        let p = PassthroughSubject<Int, Never>(); let c = (0..<100).map { _ in p.sink(receiveValue: add) }; for i in 0..<n/100 { p.send(i) }; c.forEach { $0.cancel() }
    case "subscribe":
        let p = PassthroughSubject<Int, Never>(); for _ in 0..<n { p.map(inc).filter(even).sink(receiveValue: add).cancel() }
    case "zipranges": _ = (0..<n).publisher.zip((0..<n).publisher).sink { add($0.0) }
    case "zipsubjects":
        let p = PassthroughSubject<Int, Never>(), q = PassthroughSubject<Int, Never>()
        let c = p.zip(q).sink { add($0.0) }
        for i in 0..<n { p.send(i); q.send(i) }
        c.cancel()
    case "onebyone": (0..<n).publisher.map(inc).filter(even).subscribe(AnySubscriber(receiveSubscription: { $0.request(.max(1)) }, receiveValue: { add($0); return .max(1) }))
    case "onebyrequest":
        var s: (any Subscription)?
        (0..<n).publisher.map(inc).filter(even).subscribe(AnySubscriber(receiveSubscription: { s = $0; $0.request(.max(1)) }, receiveValue: { add($0); s!.request(.max(1)); return .none }))
    case "reduce": _ = (0..<n).publisher.reduce(0) { $0 &+ $1 }.sink(receiveValue: add)
    case "deep":
        var p = (0..<3).publisher.eraseToAnyPublisher()
        for _ in 0..<n { p = p.map(inc).eraseToAnyPublisher() }
        _ = p.sink(receiveValue: add)
    case "deepcancel":
        let q = PassthroughSubject<Int, Never>()
        var p = q.eraseToAnyPublisher()
        for _ in 0..<n { p = p.prefix(10).eraseToAnyPublisher() }
        let c = p.sink(receiveValue: add)
        q.send(1); c.cancel()
    default: fatalError(name)
    }
}
run(CommandLine.arguments[1], n: n)
print(box.sum)
