import HeadgateCore

extension StepVerifier {
    /// Requests a number of values.
    public consuming func request(
        _ count: Int, fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) -> StepVerifier {
        adding(.request(.max(count)), TestPlace(fileID, file, line, column))
    }

    /// Requests unlimited values.
    public consuming func requestEverything(
        fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> StepVerifier {
        adding(.request(.unlimited), TestPlace(fileID, file, line, column))
    }

    /// Expects these values next.
    public consuming func expect(
        _ values: Output..., fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) -> StepVerifier {
        adding(.expect(values.map { value in ("\(value)", { $0 == value }) }), TestPlace(fileID, file, line, column))
    }

    /// Expects the next value to satisfy a closure.
    public consuming func expect(
        matching description: String, fileID: StaticString = #fileID, file: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column,
        where isExpected: @escaping (Output) -> Bool
    ) -> StepVerifier {
        adding(.expect([(description, isExpected)]), TestPlace(fileID, file, line, column))
    }

    /// Expects this many values next, whatever they are.
    public consuming func expect(
        count: Int, fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) -> StepVerifier {
        adding(.expectCount(count), TestPlace(fileID, file, line, column))
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
        fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
        while isSkipped: @escaping (Output) -> Bool
    ) -> StepVerifier {
        adding(.skip(isSkipped), TestPlace(fileID, file, line, column))
    }

    /// Expects that nothing arrives for a time.
    ///
    /// - Parameter milliseconds: How long to wait; real time passes.
    public consuming func expectNothing(
        for milliseconds: Int, fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) -> StepVerifier {
        adding(.expectNothingFor(milliseconds), TestPlace(fileID, file, line, column))
    }

    /// Expects that everything received so far was expected.
    ///
    /// For a stream that delivers on other threads it fails, because it would pass if the thread were slow.
    public consuming func expectNothing(
        fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> StepVerifier {
        adding(.expectNothing, TestPlace(fileID, file, line, column))
    }

    /// Expects that the stream has finished.
    public consuming func expectFinish(
        fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> StepVerifier {
        adding(.expectFinish, TestPlace(fileID, file, line, column))
    }

    /// Expects that the stream has failed with an error that satisfies a closure.
    public consuming func expectFailure(
        matching description: String = "an error", fileID: StaticString = #fileID, file: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column,
        where isExpected: @escaping (Failure) -> Bool = { _ in true }
    ) -> StepVerifier {
        adding(.expectFailure(description, isExpected), TestPlace(fileID, file, line, column))
    }

    /// Advances the scheduler's clock; does nothing without a scheduler.
    public consuming func advance(
        by stride: TestTime.Stride, fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) -> StepVerifier {
        adding(.advance(stride), TestPlace(fileID, file, line, column))
    }

    /// Runs other code, such as sending into a subject.
    public consuming func perform(
        fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
        _ action: @escaping () -> Void
    ) -> StepVerifier {
        adding(.perform(action), TestPlace(fileID, file, line, column))
    }

    /// Sends values through a test publisher, and fails on one without demand.
    public consuming func send<Value, SourceFailure: Error>(
        _ values: Value..., through source: TestPublisher<Value, SourceFailure>, fileID: StaticString = #fileID,
        file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> StepVerifier {
        let send = { values.first { !source.send($0) }.map { "no demand for \($0)" } }
        return adding(.send(send), TestPlace(fileID, file, line, column))
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
    public consuming func cancel(
        fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> StepVerifier {
        adding(.cancel, TestPlace(fileID, file, line, column))
    }
}

extension StepVerifier where Failure: Equatable {
    /// Expects that the stream has failed with this error.
    public consuming func expectFailure(
        _ failure: Failure, fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) -> StepVerifier {
        adding(.expectFailure("\(failure)", { $0 == failure }), TestPlace(fileID, file, line, column))
    }
}
