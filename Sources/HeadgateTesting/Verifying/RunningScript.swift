import HeadgateCore

/// What a verifier runs, written where a crash handler can print it.
///
/// A trap ends the process before any report is printed. The text is written beforehand, because a signal handler may
/// neither allocate nor take a lock.
final class RunningScript: Sendable {
    /// The length of the title, which precedes every script.
    private let titleLength: Int

    // The lock keeps writers apart. The crash handler does not take it, and prints what it finds.
    private let place: Guarded<CrashNotes.Place?>

    /// - Parameter title: The call that the test made.
    init(_ title: String) {
        let place = CrashNotes.take()
        // The names of types may be long, and the script is what counts.
        let name = title.utf8.count > 400 ? "\(title.prefix(400))…" : title
        titleLength = place?.append("\(name)\n    script: ") ?? 0
        self.place = Guarded(place)
        note("none yet")
    }

    deinit { end() }

    /// Writes down what is about to run.
    func note(_ script: String) {
        place.withLock { place in
            place?.shorten(to: titleLength)
            place?.append(script)
        }
    }

    /// Adds what is about to happen.
    func add(_ event: String) { place.withLock { _ = $0?.append(event) } }

    /// Forgets what has run, though a thread that hangs may write on.
    func end() {
        place.withLock { place in
            place?.free()
            place = nil
        }
    }
}

/// The memory that crash handlers print.
enum CrashNotes {
    /// The memory for one text: whether it is in use, its length, its bytes.
    struct Place: @unchecked Sendable {
        // Only the owner writes. A signal handler may read at any time, and prints what it finds.

        fileprivate static var capacity: Int { 2000 }
        fileprivate static var stride: Int { 2048 }

        fileprivate let header: UnsafeMutablePointer<Int>

        private var bytes: UnsafeMutablePointer<UInt8> {
            UnsafeMutableRawPointer(header + 2).assumingMemoryBound(to: UInt8.self)
        }

        fileprivate init(_ number: Int, of memory: UnsafeMutableRawPointer) {
            header = (memory + number * Self.stride).assumingMemoryBound(to: Int.self)
        }

        fileprivate var isTaken: Bool {
            get { header[0] != 0 }
            nonmutating set { header[0] = newValue ? 1 : 0 }
        }

        func shorten(to length: Int) { header[1] = length }

        /// Adds as much of a text as there is room for.
        ///
        /// - Returns: The length of everything.
        @discardableResult func append(_ text: String) -> Int {
            var text = text
            let length = header[1]
            let count = text.withUTF8 { text in
                let count = min(text.count, Self.capacity - length)
                if let start = text.baseAddress { (bytes + length).update(from: start, count: count) }
                return count
            }
            header[1] = length + count
            return length + count
        }

        func free() {
            shorten(to: 0)
            CrashNotes.lock.withLock { _ in isTaken = false }
        }

        /// Writes the text to a file descriptor; safe in a signal handler.
        fileprivate func write(to descriptor: Int32) { CrashHandler.write(bytes, header[1], to: descriptor) }
    }

    fileprivate static let lock = Guarded(())
    private static let count = 64

    /// Allocated once, and never freed, because a crash may come at any time.
    private nonisolated(unsafe) static let memory: UnsafeMutableRawPointer = {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: count * Place.stride, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: count * Place.stride)
        return memory
    }()

    /// - Returns: A free place; `nil` if as many verifiers run already.
    static func take() -> Place? {
        let place = lock.withLock { _ -> Place? in
            for number in 0..<count {
                let place = Place(number, of: memory)
                if place.isTaken { continue }
                place.isTaken = true
                return place
            }
            return nil
        }
        CrashHandler.install()
        return place
    }

    /// Writes all texts to a file descriptor; safe in a signal handler.
    static func write(to descriptor: Int32) {
        var number = 0
        while number < count {
            let place = Place(number, of: memory)
            number += 1
            if !place.isTaken { continue }
            CrashHandler.write("\n  ", to: descriptor)
            place.write(to: descriptor)
        }
        CrashHandler.write("\n", to: descriptor)
    }

    /// Whether there is anything to write.
    static var isEmpty: Bool {
        var number = 0
        while number < count {
            if Place(number, of: memory).isTaken { return false }
            number += 1
        }
        return true
    }
}
