import Dispatch
import Foundation
import Headgate
import HeadgateFoundation
import HeadgateSystem

/// Runs every check, and fails where one of them does.
@main
enum Main {
    static func main() async {
        checkClosures()
        checkKeyPaths()
        checkOwnTypes()
        checkPorted()
        await checkActor()
        await checkMainActor()
        await checkTasks()
        await checkHops()
        print("ok")
    }

    static func check<T: Equatable>(_ name: String, _ found: T, _ expected: T) {
        if found == expected { return }
        print("\(name): found \(found), expected \(expected)")
        exit(1)
    }

    /// Accepts what can be handed to another thread.
    static func send<T: Sendable>(_ value: T) -> T { value }
}
