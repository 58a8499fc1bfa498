import Glibc

/// One lesson: a publisher in use, with a few words on what it does.
struct Lesson: Sendable {
    let name: String
    let subject: String
    let run: @Sendable () -> Void
}

@main
struct Tutorial {
    static let lessons = [
        Lesson(name: "always", subject: "one value for as long as there is demand", run: always),
        Lesson(name: "timer", subject: "ticks against demand", run: timer),
        Lesson(name: "sharereplay", subject: "one upstream for many, with a replay for late ones", run: shareReplay),
        Lesson(name: "holdvalue", subject: "the changes of a value", run: holdValue),
        Lesson(name: "controls", subject: "the events of a text field and a button", run: controls),
        Lesson(name: "pausable", subject: "a subscriber that can take a break", run: pausable),
        Lesson(name: "print", subject: "the calls between a publisher and a subscriber", run: printing),
    ]

    static var help: String {
        let list = lessons.map { "  \($0.name)\(String(repeating: " ", count: 12 - $0.name.count))\($0.subject)" }
        return """
            usage: tutorial [NAME ...]

            Shows publishers at work, all of them if none is named. The source of each is a file of that name in
            Examples/tutorial, written to be read.

            \(list.joined(separator: "\n"))
            """
    }

    static func main() {
        let names = CommandLine.arguments.dropFirst()
        if names.contains("--help") || names.contains("-h") { return print(help) }
        let chosen = names.isEmpty ? lessons : names.compactMap { name in lessons.first { $0.name == name } }
        if chosen.count < names.count {
            print("There is no lesson of that name.\n\n\(help)")
            exit(2)
        }
        for lesson in chosen {
            print("\(lesson.name): \(lesson.subject)")
            lesson.run()
            print()
        }
    }
}
