#if os(Linux)
    /// What rotation has appended to the name of a file, or inserted before its extension.
    ///
    /// `app.log.2`, `app.log-20261123`, `app.log.2026-11-23_04`, `app-20261123.log`: files that were rotated in the same
    /// way have names of the same form, which differ in their digits only.
    struct RotatedName {
        /// The forms of a compressed file's name.
        private static let compressed: Set<String> = [
            "gz", "xz", "bz2", "zst", "lz4", "lz", "lzma", "lzo", "Z", "zip", "7z", "br",
        ]

        /// What was added, with each count as `#`, and with each digit of a date as `9`.
        let form: String

        /// The count of rotations if it is one, and not a date: the oldest file has the greatest.
        let count: Int?

        /// Whether nothing but digits and their separators was added, as every rotation does by default.
        let isPlain: Bool

        /// Whether the file has been compressed.
        let isCompressed: Bool

        /// Reads a name; `nil` if it is not that of a rotated file.
        ///
        /// - Parameter base: The name before rotation.
        init?(_ name: String, of base: String) {
            var name = Substring(name)
            var isCompressed = false
            if let dot = name.lastIndex(of: "."), Self.compressed.contains(String(name[name.index(after: dot)...])) {
                name = name[..<dot]
                isCompressed = true
            }
            guard let added = Self.part(of: name, addedTo: base), added.contains(where: Self.isDigit) else {
                return nil
            }
            let runs = added.split { !Self.isDigit($0) }
            let isCount = runs.count == 1 && runs[0].count <= 5
            self.isCompressed = isCompressed
            count = isCount ? Int(runs[0]) : nil
            isPlain = added.dropFirst().allSatisfy { Self.isDigit($0) || "-_.:T+".contains($0) }
            // The first character tells a name with an extension from one without.
            form =
                (name.hasPrefix(base) ? "after" : "before")
                + (isCount
                    ? added.replacing(runs[0], with: "#") : String(added.map { Self.isDigit($0) ? "9" : $0 }))
        }

        private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }

        private static func part(of name: Substring, addedTo base: String) -> String? {
            let separators: Set<Character> = [".", "-", "_"]
            if name.hasPrefix(base) {
                let part = name.dropFirst(base.count)
                return part.first.map(separators.contains) ?? false ? String(part) : nil
            }
            guard let dot = base.lastIndex(of: ".") else { return nil }
            let (stem, end) = (base[..<dot], base[dot...])
            guard name.hasPrefix(stem), name.hasSuffix(end), name.count > base.count else { return nil }
            let part = name.dropFirst(stem.count).dropLast(end.count)
            return part.first.map(separators.contains) ?? false ? String(part) : nil
        }
    }
#endif
