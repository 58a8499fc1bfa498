import Foundation
import HeadgateFoundation
import Synchronization
import HeadgateTesting
import TestSupport
import XCTest

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

final class DataTaskPublisherTests: XCTestCase {
    /// Answers requests without a network: the path says how.
    private final class Stub: URLProtocol {
        static let starts = Atomic(0)
        static let stops = Atomic(0)

        override class func canInit(with request: URLRequest) -> Bool { true }
        override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

        override func startLoading() {
            Self.starts.add(1, ordering: .relaxed)
            guard let url = request.url, let client else { return }
            switch url.path {
            case "/fail":
                client.urlProtocol(
                    self, didFailWithError: URLError(.cannotFindHost, userInfo: ["why": "x"]))
            case "/unheard-of":
                client.urlProtocol(
                    self, didFailWithError: NSError(domain: NSURLErrorDomain, code: -4711, userInfo: ["why": "x"]))
            case "/foreign":
                client.urlProtocol(
                    self, didFailWithError: NSError(domain: "elsewhere", code: 7, userInfo: ["why": "x"]))
            case "/never":
                break
            default:
                let status = url.path == "/missing" ? 404 : 200
                let response = HTTPURLResponse(
                    url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: ["Content-Length": "4"])
                guard let response else { return }
                client.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
                client.urlProtocol(self, didLoad: Data((request.httpMethod ?? "none").utf8))
                client.urlProtocolDidFinishLoading(self)
            }
        }

        override func stopLoading() { Self.stops.add(1, ordering: .relaxed) }
    }

    /// Hears when the session has nothing left to do.
    private final class End: NSObject, URLSessionDelegate, Sendable {
        let done = DispatchSemaphore(value: 0)

        func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { done.signal() }
    }

    private let end = End()

    private lazy var session: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Stub.self]
        return URLSession(configuration: configuration, delegate: end, delegateQueue: nil)
    }()

    private func url(_ path: String) throws -> URL { try XCTUnwrap(URL(string: "http://127.0.0.1/\(path)")) }

    private final class Answer: @unchecked Sendable {
        let done = DispatchSemaphore(value: 0)
        var bodies: [String] = []
        var statuses: [Int?] = []
        var completions: [Subscribers.Completion<URLError>] = []
    }

    /// Waits far longer than anything here takes.
    private func load(_ publisher: URLSession.DataTaskPublisher, line: UInt = #line) -> Answer {
        let answer = Answer()
        let subscription = publisher.sink(
            receiveCompletion: {
                answer.completions.append($0)
                answer.done.signal()
            },
            receiveValue: {
                answer.bodies.append(String(decoding: $0.data, as: UTF8.self))
                answer.statuses.append(($0.response as? HTTPURLResponse)?.statusCode)
            })
        XCTAssertEqual(answer.done.wait(timeout: .now() + 60), .success, line: line)
        subscription.cancel()
        return answer
    }

    func test_publishesTheAnswerAndFinishes() throws {
        let answer = load(session.dataTaskPublisher(for: try url("page")))
        XCTAssertEqual(answer.bodies, ["GET"])
        XCTAssertEqual(answer.statuses, [200])
        XCTAssertEqual(answer.completions, [.finished])
    }

    func test_sendsTheRequestAsItIs() throws {
        var request = URLRequest(url: try url("page"))
        request.httpMethod = "POST"
        let publisher = session.dataTaskPublisher(for: request)
        XCTAssertEqual(publisher.request, request)
        XCTAssertTrue(publisher.session === session)
        XCTAssertEqual(load(publisher).bodies, ["POST"])
    }

    func test_anAnswerThatSomethingIsMissingIsAnAnswer() throws {
        let answer = load(session.dataTaskPublisher(for: try url("missing")))
        XCTAssertEqual(answer.statuses, [404])
        XCTAssertEqual(answer.completions, [.finished])
    }

    func test_failsWithWhatWentWrong() throws {
        let answer = load(session.dataTaskPublisher(for: try url("fail")))
        XCTAssertEqual(answer.bodies, [])
        XCTAssertEqual(answer.completions.count, 1)
        guard case .failure(let error) = answer.completions[0] else { return XCTFail("It has finished.") }
        XCTAssertEqual(error.code, .cannotFindHost)
    }

    func test_failsWithTheCodeAndTheUserInfoThatTheSessionGives() throws {
        func failure(_ path: String) throws -> URLError {
            let completion = try XCTUnwrap(load(session.dataTaskPublisher(for: try url(path))).completions.first)
            guard case .failure(let error) = completion else { throw CancellationError() }
            return error
        }
        let known = try failure("fail")
        XCTAssertEqual(known.errorUserInfo["why"] as? String, "x")
        let unheardOf = try failure("unheard-of")
        XCTAssertEqual(unheardOf.errorCode, -4711)
        XCTAssertEqual(unheardOf.errorUserInfo["why"] as? String, "x")
        let foreign = try failure("foreign")
        XCTAssertEqual(foreign.code, .unknown)
        XCTAssertEqual(foreign.errorUserInfo["why"] as? String, "x")
        XCTAssertNil(foreign.errorUserInfo[NSUnderlyingErrorKey])
    }

    func test_loadsNothingBeforeTheFirstDemandAndOncePerSubscriber() throws {
        let publisher = session.dataTaskPublisher(for: try url("page"))
        let starts = Stub.starts.load(ordering: .relaxed)
        let subscriber = TestSubscriber<URLSession.DataTaskPublisher.Output, URLError>.checked()
        publisher.subscribe(subscriber)
        XCTAssertEqual(subscriber.subscription.map { "\($0)" }, "DataTaskPublisher")
        subscriber.cancel()
        _ = load(publisher)
        _ = load(publisher)
        XCTAssertEqual(Stub.starts.load(ordering: .relaxed), starts + 2)
    }

    func test_cancelAndReleasingCancelTheRequest() throws {
        let before = Tracked.count
        let publisher = session.dataTaskPublisher(for: try url("never"))
        for way in ["cancel", "drop"] {
            var subscription: AnyCancellable? = publisher.sink(
                receiveCompletion: { [tracked = Tracked()] _ in _ = tracked }, receiveValue: { _ in })
            XCTAssertEqual(Tracked.count, before + 1)
            if way == "cancel" { subscription?.cancel() }
            subscription = nil
            XCTAssertEqual(Tracked.count, before, way)
        }
        // This ends when the session has nothing left to do.
        session.finishTasksAndInvalidate()
        XCTAssertEqual(end.done.wait(timeout: .now() + 60), .success)
    }
}
