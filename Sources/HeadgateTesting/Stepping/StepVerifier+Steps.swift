import HeadgateCore

extension StepVerifier {
    /// Requests a number of values.
    public consuming func request(_ count: Int, file: StaticString = #filePath, line: UInt = #line) -> StepVerifier {
        adding(.request(.max(count)), file, line)
    }

    /// Requests unlimited values.
    public consuming func requestEverything(file: StaticString = #filePath, line: UInt = #line) -> StepVerifier {
        adding(.request(.unlimited), file, line)
    }

    /// Expects these values next.
    public consuming func expect(
        _ values: Output..., file: StaticString = #filePath, line: UInt = #line
    ) -> StepVerifier {
        adding(.expect(values), file, line)
    }

    /// Expects the next value to satisfy a closure.
    public consuming func expect(
        matching description: String, file: StaticString = #filePath, line: UInt = #line,
        where isExpected: @escaping (Output) -> Bool
    ) -> StepVerifier {
        adding(.expectMatching(description, isExpected), file, line)
    }

    /// Expects this many values next, whatever they are.
    public consuming func expect(
        count: Int, file: StaticString = #filePath, line: UInt = #line
    ) -> StepVerifier {
        adding(.expectCount(count), file, line)
    }

    /// Skips the values that satisfy a closure, however many, up to the next one that doesn't, or to the completion.
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// StepVerifier((1...9).publisher, demand: .unlimited)
    ///     .skip { $0 < 8 }
    ///     .expect(8, 9)
    ///     .expectFinish()
    ///     .verify { XCTFail($0, file: $1, line: $2) }
    /// ```
    public consuming func skip(
        file: StaticString = #filePath, line: UInt = #line, while isSkipped: @escaping (Output) -> Bool
    ) -> StepVerifier {
        adding(.skip(isSkipped), file, line)
    }

    /// Expects that nothing arrives for a time.
    ///
    /// - Parameter milliseconds: How long to wait; real time passes.
    public consuming func expectNothing(
        for milliseconds: Int, file: StaticString = #filePath, line: UInt = #line
    ) -> StepVerifier {
        adding(.expectNothingFor(milliseconds), file, line)
    }

    /// Expects that everything received so far was expected.
    ///
    /// For a stream that delivers on other threads it fails, because it would pass if the thread were slow.
    public consuming func expectNothing(file: StaticString = #filePath, line: UInt = #line) -> StepVerifier {
        adding(.expectNothing, file, line)
    }

    /// Expects that the stream has finished.
    public consuming func expectFinish(file: StaticString = #filePath, line: UInt = #line) -> StepVerifier {
        adding(.expectFinish, file, line)
    }

    /// Expects that the stream has failed with an error that satisfies a closure.
    public consuming func expectFailure(
        matching description: String = "an error", file: StaticString = #filePath, line: UInt = #line,
        where isExpected: @escaping (Failure) -> Bool = { _ in true }
    ) -> StepVerifier {
        adding(.expectFailure(description, isExpected), file, line)
    }

    /// Advances the scheduler's clock; does nothing without a scheduler.
    public consuming func advance(
        by stride: TestTime.Stride, file: StaticString = #filePath, line: UInt = #line
    ) -> StepVerifier {
        adding(.advance(stride), file, line)
    }

    /// Runs other code, such as sending into a subject.
    public consuming func perform(
        file: StaticString = #filePath, line: UInt = #line, _ action: @escaping () -> Void
    ) -> StepVerifier {
        adding(.perform(action), file, line)
    }

    /// Sends values through a test publisher, and fails on one without demand.
    public consuming func send<Value, SourceFailure: Error>(
        _ values: Value..., through source: TestPublisher<Value, SourceFailure>, file: StaticString = #filePath,
        line: UInt = #line
    ) -> StepVerifier {
        let send = { values.first { !source.send($0) }.map { "no demand for \($0)" } }
        return adding(.send(send), file, line)
    }

    /// Expects an object to be released after the stream has completed, and the verifier has released the publisher and
    /// its steps.
    ///
    /// An object that the test itself retains, directly or by the verifier, is not released; so create it in a function
    /// that returns the steps.
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// final class Model { @Published var level = 1 }
    /// func steps() -> StepVerifier<Int, Never> {
    ///     let model = Model()
    ///     return StepVerifier(model.$level).watching(model, as: "the model").request(1).expect(1).cancel()
    /// }
    /// steps().verify { XCTFail($0, file: $1, line: $2) }
    /// ```
    public consuming func watching(_ object: AnyObject, as name: String) -> StepVerifier {
        watched.append(Watched(object, name: name))
        return self
    }

    /// Cancels.
    ///
    /// No values may arrive after it.
    public consuming func cancel(file: StaticString = #filePath, line: UInt = #line) -> StepVerifier {
        adding(.cancel, file, line)
    }
}

extension StepVerifier where Failure: Equatable {
    /// Expects that the stream has failed with this error.
    public consuming func expectFailure(
        _ failure: Failure, file: StaticString = #filePath, line: UInt = #line
    ) -> StepVerifier {
        adding(.expectFailure("\(failure)", { $0 == failure }), file, line)
    }
}
