import Glibc

/// The command line.
///
/// A program of its own, because what else a program contains changes what the compiler inlines, and so the stack that a
/// stage takes.
///
/// ```
/// Stack deep-chain    sees whether the stack holds under pipelines of thousands of stages
/// Stack per-stage     bytes of stack that one more stage takes, by operator
/// ```
@main
enum Stack {
    static func main() {
        switch CommandLine.arguments.dropFirst() {
        case ["deep-chain"]: DeepChain.check()
        case ["per-stage"]: StackPerStage.report()
        default:
            print("usage: Stack deep-chain | per-stage")
            exit(2)
        }
    }
}

/// The closure that the stages call, into which the optimiser can't see.
let increment: @Sendable (Int) -> Int = hide { $0 &+ 1 }

@_optimize(none)
@inline(never)
private func hide(_ closure: @escaping @Sendable (Int) -> Int) -> @Sendable (Int) -> Int { closure }
