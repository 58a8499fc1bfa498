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
            try CodeBlock.all(inSource: source, file: "a.swift"),
            [
                CodeBlock(file: "a.swift", line: 8, use: .run, code: ["print(1)", "// 1"]),
                CodeBlock(file: "a.swift", line: 13, use: .compile, code: ["listen()"]),
            ])
        XCTAssertEqual(CodeBlock.plain(inSource: source).map(\.code), [["self  1--|"]])
    }

    func test_blocksOfPagesMayBeIndented() throws {
        let page = "1. Do this:\n\n   ```swift fragment\n   a {\n       b\n   }\n   ```"
        XCTAssertEqual(
            try CodeBlock.all(inPage: page, file: "a.md"),
            [CodeBlock(file: "a.md", line: 4, use: .fragment, code: ["a {", "    b", "}"])])
    }

    func test_whatFollowsTheLanguageIsOneOfTwoWords() {
        XCTAssertThrowsError(try CodeBlock.all(inPage: "```swift norun\n```", file: "a.md")) {
            XCTAssertEqual("\($0)", "a.md:1: `swift norun` is neither `no-run` nor `fragment`.")
        }
        XCTAssertEqual(CodeBlock.withoutUse("  ```swift no-run"), "  ```swift")
        XCTAssertEqual(CodeBlock.withoutUse("```"), "```")
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
                "#sourceLocation()", "    static func run() throws {",
                "#sourceLocation(file: \"a/b.swift\", line: 8)", "let (c, d) = (1, 2)", "let e = A()",
                "#sourceLocation()", "        waitForOutput()", "        withExtendedLifetime((c, d, e)) {}", "    }",
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
        XCTAssertTrue(function("await a()").contains("    static func run() async throws {"))
        XCTAssertTrue(function("import Headgate", "a()").contains("    static func run() throws {"))
    }

    func test_whatIsNotRunIsCompiledOnly() {
        let blocks = [CodeBlock.Use.run, .compile, .fragment].map {
            CodeBlock(file: "Sources/A/b.swift", line: 1, use: $0, code: ["a()"])
        }
        let sources = ExampleProgram(blocks: blocks).sources()
        XCTAssertEqual(sources.keys.sorted(), ["AllExamples.swift", "Examples_Sources_A.swift"])
        XCTAssertEqual(sources["AllExamples.swift"]?.components(separatedBy: "Example(").count, 2)
        XCTAssertEqual(sources["Examples_Sources_A.swift"]?.components(separatedBy: "static func run()").count, 3)
    }
}
