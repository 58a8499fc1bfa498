import Glibc
import HeadgateCore
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

/// A wall clock that a test sets, and the steady one beside it.
private final class SettableClock: Sendable {
    private struct State {
        var wall: Double
        var steady = 0.0
        var alarms: [Int: (time: Double, wake: @Sendable () -> Void)] = [:]
        var count = 0
    }

    private let state: Guarded<State>

    init(_ seconds: Double) { state = Guarded(State(wall: seconds)) }

    var clock: WallClock {
        WallClock(now: { WallTime(seconds: self.state.withLock { $0.wall }) }) { seconds, wake in
            let number = self.state.withLock { state -> Int in
                state.count += 1
                state.alarms[state.count] = (state.steady + seconds, wake)
                return state.count
            }
            return AnyCancellable {
                let old = self.state.withLock { $0.alarms.removeValue(forKey: number) }
                withExtendedLifetime(old) {}
            }
        }
    }

    /// How many wait.
    var alarmCount: Int { state.withLock { $0.alarms.count } }

    /// Sets the wall clock, which wakes no thread.
    func set(_ seconds: Double) { state.withLock { $0.wall = seconds } }

    /// Lets time pass on both clocks.
    func advance(by seconds: Double) {
        let end = state.withLock { $0.steady } + seconds
        while true {
            let wake = state.withLock { state -> (@Sendable () -> Void)? in
                let next = state.alarms.min { $0.value.time < $1.value.time }
                let time = min(next?.value.time ?? end, end)
                state.wall += time - state.steady
                state.steady = time
                guard let next, next.value.time <= end else { return nil }
                return state.alarms.removeValue(forKey: next.key)?.wake
            }
            guard let wake else { return }
            wake()
        }
    }
}

final class WallTimerTests: XCTestCase {
    func test_keepsTheNextAlarmWhereOneIsOverBeforeItHasBeenNoted() {
        let alarms = Guarded(0)
        let calledOff = Guarded<[Int]>([])
        // The first alarm goes off before the call that set it returns.
        let clock = WallClock(now: { WallTime(seconds: 0) }) { _, wake in
            let number = alarms.withLock { count -> Int in
                count += 1
                return count
            }
            if number == 1 { wake() }
            return AnyCancellable { calledOff.withLock { $0.append(number) } }
        }
        let timer = Publishers.wallTimer(.every(seconds: 10), clock: clock).sink { _ in }
        XCTAssertEqual(calledOff.withLock { $0 }, [1])
        timer.cancel()
        XCTAssertEqual(calledOff.withLock { $0 }, [1, 2])
    }

    private func inBerlin(_ body: () -> Void) {
        setenv("TZ", "Europe/Berlin", 1)
        tzset()
        body()
        unsetenv("TZ")
        tzset()
    }

    func test_ticksAtMultiplesOfItsInterval() {
        let clock = SettableClock(1000.5)
        let subscriber = TestSubscriber<WallTime, Never>.checked(.unlimited)
        Publishers.wallTimer(.every(seconds: 900), clock: clock.clock).subscribe(subscriber)
        clock.advance(by: 3600)
        XCTAssertEqual(subscriber.values.map(\.seconds), [1800, 2700, 3600, 4500])
        subscriber.cancel()
        XCTAssertEqual(clock.alarmCount, 0)
    }

    func test_dropsTicksThatWereNotRequested() {
        let clock = SettableClock(0)
        let subscriber = TestSubscriber<WallTime, Never>.checked()
        Publishers.wallTimer(.every(seconds: 10), clock: clock.clock).subscribe(subscriber)
        XCTAssertEqual(clock.alarmCount, 0)
        subscriber.request(.max(1))
        clock.advance(by: 35)
        XCTAssertEqual(subscriber.values.map(\.seconds), [10])
        subscriber.request(.max(1))
        clock.advance(by: 10)
        XCTAssertEqual(subscriber.values.map(\.seconds), [10, 40])
        subscriber.cancel()
    }

    func test_aClockThatIsSetForwardTicksOnceWithinAMinute() {
        let clock = SettableClock(0)
        let subscriber = TestSubscriber<WallTime, Never>.checked(.unlimited)
        Publishers.wallTimer(.every(seconds: 3600), clock: clock.clock).subscribe(subscriber)
        clock.advance(by: 30)
        clock.set(4 * 3600 + 5)
        clock.advance(by: 60)
        XCTAssertEqual(subscriber.values.count, 1)
        clock.advance(by: 3600)
        XCTAssertEqual(subscriber.values.last?.seconds, 5 * 3600)
        subscriber.cancel()
    }

    func test_aClockThatIsSetBackTicksAtTheMomentsThatComeAgain() {
        let clock = SettableClock(3590)
        let subscriber = TestSubscriber<WallTime, Never>.checked(.unlimited)
        Publishers.wallTimer(.every(seconds: 3600), clock: clock.clock).subscribe(subscriber)
        clock.advance(by: 20)
        clock.set(3500)
        clock.advance(by: 200)
        XCTAssertEqual(subscriber.values.map(\.seconds), [3600, 3600])
        subscriber.cancel()
    }

    func test_dailyTicksKeepTheirLocalTimeAcrossDaylightSavingTime() {
        inBerlin {
            // 2026-03-27 12:00 UTC; summer time begins on the 29th, and 02:30 is left out.
            let clock = SettableClock(1_774_612_800)
            let subscriber = TestSubscriber<WallTime, Never>.checked(.unlimited)
            Publishers.wallTimer(.daily(hour: 8, minute: 30), clock: clock.clock).subscribe(subscriber)
            clock.advance(by: 3 * 86400)
            XCTAssertEqual(
                zip(subscriber.values.dropFirst(), subscriber.values).map { $0.seconds - $1.seconds }, [82800, 86400])
            subscriber.cancel()

            let night = SettableClock(1_774_612_800)
            let sleeper = TestSubscriber<WallTime, Never>.checked(.unlimited)
            Publishers.wallTimer(.daily(hour: 2, minute: 30), clock: night.clock).subscribe(sleeper)
            night.advance(by: 3 * 86400)
            XCTAssertEqual(sleeper.values.count, 3)
            sleeper.cancel()

            // 2026-10-24 12:00 UTC; 02:30 comes twice on the 25th.
            let autumn = SettableClock(1_792_843_200)
            let twice = TestSubscriber<WallTime, Never>.checked(.unlimited)
            Publishers.wallTimer(.daily(hour: 2, minute: 30), clock: autumn.clock).subscribe(twice)
            autumn.advance(by: 86400)
            XCTAssertEqual(twice.values.count, 1)
            twice.cancel()
        }
    }
}
