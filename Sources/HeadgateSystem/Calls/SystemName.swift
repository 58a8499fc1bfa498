import HeadgateLibC

extension String {
    /// The characters that stand for bytes that are not UTF-8, one for each: the last ones but 256 that Unicode leaves to
    /// private use.
    private static let strayBytes: ClosedRange<UInt32> = 0x10FE00...0x10FEFF

    /// Reads a name of the system, which may be any bytes.
    ///
    /// What is not UTF-8 becomes characters of private use, and these become the same bytes again in ``withSystemName(_:)``:
    /// two names are never the same text, and every name can be opened again.
    init(systemName bytes: some Collection<UInt8>) {
        let text = String(decoding: bytes, as: UTF8.self)
        // Mostly so, and then no byte has to be looked at again.
        if text.utf8.elementsEqual(bytes), !text.mayHaveStrayBytes {
            self = text
            return
        }
        var all = String.UnicodeScalarView()
        var rest = bytes[...]
        while let first = rest.first {
            let length = (1...4).first { length in
                let part = String(validating: rest.prefix(length), as: UTF8.self)
                let scalar = part?.unicodeScalars.first
                guard let scalar, !Self.strayBytes.contains(scalar.value) else { return false }
                all.append(scalar)
                return true
            }
            if length == nil, let scalar = Unicode.Scalar(Self.strayBytes.lowerBound + UInt32(first)) {
                all.append(scalar)
            }
            rest = rest.dropFirst(length ?? 1)
        }
        self = String(all)
    }

    // With a label of its own: an array of bytes would be passed as a pointer, too.
    /// Reads a name of the system that ends with a NUL.
    init(systemNameAt name: UnsafeRawPointer) {
        let length = strlen(name.assumingMemoryBound(to: CChar.self))
        self.init(systemName: UnsafeRawBufferPointer(start: name, count: length))
    }

    /// Passes the name to a call of the system.
    func withSystemName<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        if !mayHaveStrayBytes { return withCString(body) }
        return body(systemNameBytes.map { CChar(bitPattern: $0) } + [0])
    }

    /// The bytes of the name in the system.
    var systemNameBytes: [UInt8] {
        if !mayHaveStrayBytes { return Array(utf8) }
        return unicodeScalars.flatMap { scalar -> [UInt8] in
            if Self.strayBytes.contains(scalar.value) {
                return [UInt8(truncatingIfNeeded: scalar.value - Self.strayBytes.lowerBound)]
            }
            return Array(String(scalar).utf8)
        }
    }

    /// Whether there is a byte with which those characters begin.
    private var mayHaveStrayBytes: Bool { utf8.contains(0xF4) }
}
