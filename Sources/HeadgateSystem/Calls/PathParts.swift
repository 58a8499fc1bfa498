/// The parts of a path, divided by bytes: a name may begin with a mark that makes one character with the slash before it.
extension String {
    private static let slash = UInt8(ascii: "/")

    /// Whether it begins at the root of the file system.
    var isAbsolutePath: Bool { utf8.first == Self.slash }

    /// The names in the path.
    var namesInPath: [String] { utf8.split(separator: Self.slash).map { String(Substring($0)) } }

    /// The path up to its last name, with the slash between them; empty if there is only a name.
    var pathBeforeName: String {
        utf8.lastIndex(of: Self.slash).map { String(Substring(utf8[...$0])) } ?? ""
    }

    /// The path of the folder in which the last name is looked up.
    var folderOfPath: String {
        let folder = pathBeforeName
        return folder.isEmpty ? "." : folder.utf8.count == 1 ? folder : String(Substring(folder.utf8.dropLast()))
    }
}
