#if os(Linux)
    import HeadgateLibC

    /// The names that decide which file a path leads to: those of its folders, and of the links in it.
    struct PathTrace: Equatable {
        /// A name, and the folder in which the system looks it up.
        struct Step: Hashable {
            let folder: String
            let name: String

            var path: String { folder == "." ? name : folder == "/" ? "/" + name : "\(folder)/\(name)" }
        }

        /// In the order of the look-up; the last one is that of the file.
        private(set) var steps: [Step] = []

        /// The first folder that is missing.
        private(set) var missingFolder: String?

        /// Looks up a path.
        init(_ path: String, calls: SystemCalls) throws(SystemError) {
            var names = Self.names(in: path)
            var folder = path.isAbsolutePath ? "/" : "."
            var linkCount = 0
            while let name = names.popLast() {
                let step = Step(folder: folder, name: name)
                if name == ".." {
                    folder = step.path
                    continue
                }
                steps.append(step)
                guard let status = try calls.linkStatus(ofPath: step.path) else {
                    missingFolder = names.isEmpty ? nil : step.path
                    return
                }
                guard status.st_mode & S_IFMT == S_IFLNK else {
                    folder = step.path
                    continue
                }
                linkCount += 1
                if linkCount > 40 { throw SystemError(call: "open", code: ELOOP, subject: path) }
                guard let target = try calls.target(ofLink: step.path) else { return }
                if target.isAbsolutePath { folder = "/" }
                names += Self.names(in: target)
            }
        }

        /// The folder in which the file is, under its last name.
        var folder: String { steps.last?.folder ?? "." }

        /// The names to watch for in each folder.
        var namesByFolder: [String: Set<String>] {
            steps.reduce(into: [:]) { folders, step in folders[step.folder, default: []].insert(step.name) }
        }

        /// The names in a path, the last one first.
        private static func names(in path: String) -> [String] {
            path.namesInPath.reversed().filter { $0 != "." }
        }
    }
#endif
