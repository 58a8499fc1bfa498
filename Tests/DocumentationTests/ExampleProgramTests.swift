import XCTest

@testable import documentation

final class ExampleProgramTests: XCTestCase {
    private func function(_ lines: String...) -> [String] {
        ExampleFunction(block: CodeBlock(file: "a/b.swift", line: 5, use: .run, code: lines), name: "Example1").lines
    }

    func test_blocksOfCommentsAreFoundWithTheirLines() throws {
        let source = """
            /// Adds.
            ///
            /// ```
            /// self  1--|
            /// ```
            ///
            /// ```swift
            /// print(1)
            /// // 1
            /// ```
            func add() {}
                /// ```swift no-run
                /// listen()
                /// ```
            """
        XCTAssertEqual(
            try CodeBlock.all(inSource: source, file: "Sources/A/a.swift"),
            [
                CodeBlock(file: "Sources/A/a.swift", line: 8, use: .run, code: ["print(1)", "// 1"], imports: ["A"]),
                CodeBlock(file: "Sources/A/a.swift", line: 13, use: .compile, code: ["listen()"], imports: ["A"]),
            ])
        XCTAssertEqual(CodeBlock.plain(inSource: source).map(\.code), [["self  1--|"]])
    }

    func test_blocksOfPagesMayBeIndented() throws {
        let page = "1. Do this:\n\n   ```swift fragment\n   a {\n       b\n   }\n   ```"
        XCTAssertEqual(
            try CodeBlock.all(inPage: page, file: "a.md"),
            [CodeBlock(file: "a.md", line: 4, use: .fragment, code: ["a {", "    b", "}"])])
    }

    func test_whatFollowsTheLanguageIsAWordOfOurs() {
        XCTAssertThrowsError(try CodeBlock.all(inPage: "```swift norun\n```", file: "a.md")) {
            XCTAssertEqual("\($0)", "a.md:1: `swift norun` is none of no-run, excerpt, fragment, foreign.")
        }
        XCTAssertEqual(
            Markdown("  ```swift no-run\n  a\n  ```\n```\n```").rewritten { $0 }, "  ```swift\n  a\n  ```\n```\n```")
    }

    func test_theOutputIsTheCommentsThatBeginTheirLines() {
        let block = CodeBlock(
            file: "", line: 1, use: .run, code: ["f { // not this", "    // nor this", "}", "// 1", "//"])
        XCTAssertEqual(block.output, ["1", ""])
    }

    func test_typesStandBesideTheFunctionAndVariablesAreKept() {
        XCTAssertEqual(
            function("struct A {", "    let b = 1", "}", "let (c, d) = (1, 2)", "let e = A()"),
            [
                "", "enum Example1 {",
                "#sourceLocation(file: \"a/b.swift\", line: 5)", "struct A {", "    let b = 1", "}",
                "#sourceLocation()", "    static func run() throws -> Kept {",
                "#sourceLocation(file: \"a/b.swift\", line: 8)", "let (c, d) = (1, 2)", "let e = A()",
                "#sourceLocation()", "        return Kept(c, d, e)", "    }",
                "}",
            ])
    }

    func test_extensionsStandOutsideAndAreThoseOfTheExample() {
        let lines = function("struct A {}", "extension A {", "    func b() {}", "}", "extension Int {}")
        XCTAssertEqual(
            lines.filter { $0.contains("extension") },
            ["fileprivate extension Example1.A {", "fileprivate extension Int {}"])
    }

    func test_whatAwaitsIsAsynchronous() {
        XCTAssertTrue(function("await a()").contains("    static func run() async throws -> Kept {"))
        XCTAssertTrue(function("import Headgate", "a()").contains("    static func run() throws -> Kept {"))
    }

    func test_whatIsNotRunIsCompiledOnly() {
        let blocks = [CodeBlock.Use.run, .compile, .fragment].map {
            CodeBlock(file: "Sources/A/b.swift", line: 1, use: $0, code: ["a()"])
        }
        let sources = ExampleProgram(blocks: blocks).sources()
        XCTAssertEqual(sources.keys.sorted(), ["AllExamples.swift", "Example0.swift", "Example1.swift"])
        XCTAssertEqual(sources["AllExamples.swift"]?.components(separatedBy: "Example(").count, 2)
    }

    func test_anExampleHasItsImportsOrThoseOfItsPageAndNoOthers() throws {
        let page = "Begin with `import A`.\n\n## B\n\n```swift\nfunc b() {}\n```\n```swift\nimport C\nfunc d() {}\n```"
        XCTAssertEqual(try CodeBlock.all(inPage: page, file: "a.md").map(\.imports), [["A"], ["C"]])
        let comment = "/// ```swift\n/// import B\n/// b()\n/// ```"
        XCTAssertEqual(try CodeBlock.all(inSource: comment, file: "Sources/A/a.swift").map(\.imports), [["B"]])
    }

    func test_aPageShowsNoStatements() throws {
        let page = "```swift\nlet a = 1\n```\n```swift\n@main\nenum B {\n    static func main() {}\n}\n```"
        let program = ExampleProgram(blocks: try CodeBlock.all(inPage: page, file: "a.md"))
        XCTAssertEqual(program.complaints(sources: []).count, 1)
        XCTAssertTrue(program.sources()["Example1.swift"]?.contains("B.main()") ?? false)
    }

    func test_anExcerptIsThatOfATest() throws {
        let program = ExampleProgram(blocks: try CodeBlock.all(inPage: "```swift excerpt\na(b)\n```", file: "a.md"))
        XCTAssertEqual(program.complaints(sources: ["a(\n  b)"]), [])
        XCTAssertEqual(program.complaints(sources: []).count, 1)
    }
}
