extension Bytes {
    /// The integer whose decimal digits these are, with or without a sign.
    var decimal: Int64? {
        withUnsafeBytes { memory -> Int64? in
            guard let first = memory.first else { return nil }
            let isNegative = first == UInt8(ascii: "-")
            var place = isNegative || first == UInt8(ascii: "+") ? 1 : 0
            if place == memory.count { return nil }
            var number: Int64 = 0
            while place < memory.count {
                let digit = Int64(memory[place]) - 0x30
                guard 0...9 ~= digit else { return nil }
                let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
                let (sum, isLarger) =
                    isNegative
                    ? tens.subtractingReportingOverflow(digit) : tens.addingReportingOverflow(digit)
                if isTooLarge || isLarger { return nil }
                number = sum
                place += 1
            }
            return number
        }
    }

    /// The floating-point number that these bytes are the text of, which may be infinite or not a number.
    var double: Double? {
        switch self {
        case "inf", "+inf": return .infinity
        case "-inf": return -.infinity
        case "nan", "-nan": return .nan
        default:
            let isDecimal = allSatisfy { 0x30...0x39 ~= $0 || "+-.eE".utf8.contains($0) }
            return isDecimal ? Double(String(self)) : nil
        }
    }

    /// The beginning, as text for a message: without control characters.
    func excerpt(_ length: Int = 60) -> String {
        let text = String(prefix(length)).map { $0.isASCII && $0.asciiValue! >= 0x20 && $0 != "\u{7F}" ? $0 : "?" }
        return String(text) + (count > length ? "…" : "")
    }
}
