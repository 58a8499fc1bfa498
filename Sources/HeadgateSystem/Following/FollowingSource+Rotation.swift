#if os(Linux)
    import HeadgateLibC

    /// A file that rotation has renamed, and not opened yet.
    private struct RotatedFile {
        let path: String
        let name: RotatedName
        let status: stat
        let created: Int64

        func isFile(_ file: TrackedFile) -> Bool { file.place.isInFile(status) }

        /// Whether its path was the followed one before that of another.
        func isOlder(than other: RotatedFile) -> Bool {
            if let count = name.count, let otherCount = other.name.count { return count > otherCount }
            if created != 0, other.created != 0 { return created < other.created }
            return wasWrittenBefore(other)
        }

        func wasWrittenBefore(_ other: RotatedFile) -> Bool { isEarlier(status.st_mtim, other.status.st_mtim) }
    }

    private func isEarlier(_ first: timespec, _ second: timespec) -> Bool {
        (first.tv_sec, first.tv_nsec) < (second.tv_sec, second.tv_nsec)
    }

    /// The files that had the path before.
    extension FollowingSource {
        /// Opens the file that had the path after the last one, or the one that has it now.
        ///
        /// - Returns: Whether there is one.
        func openNext() throws(SystemError) -> Bool {
            // A file may get another name between the look and the opening, or be removed.
            look: for _ in 0..<Self.looks {
                let status = try calls.status(ofPath: path)
                guard let last = files.last else { return try openPath() }
                if let status, last.place.isInFile(status) { return false }
                let next = try successors(of: last, before: status)
                // Another file that has the path by now comes after those between, of which this one is the last.
                if try !isAtPath(status) {
                    if let status { awaited.append(status) }
                    continue
                }
                let found = next.files.map(\.status) + [status].compactMap(\.self)
                if found.isEmpty { return false }
                let allAreThere = awaited.allSatisfy { file in
                    last.place.isInFile(file) || found.contains { $0.isFile(file) }
                }
                if next.hasGap || !allAreThere { followsGap = true }
                awaited = found
                for candidate in next.files {
                    do throws(SystemError) {
                        guard let file = try open(candidate.path, wasRotated: true), candidate.isFile(file) else {
                            continue look
                        }
                        append(file)
                        return true
                    } catch {
                        // Another file has got its name.
                        if error.code == ELOOP || error.code == EISDIR { continue look }
                        guard error.code == EACCES else { throw error }
                        // Without permission it is as if it were gone.
                        followsGap = true
                        awaited.removeAll { candidate.isFile($0) }
                    }
                }
                guard let status else { return false }
                if try openPath(ifIn: status) { return true }
            }
            awaited = []
            followsGap = true
            return try openPath()
        }

        private func isAtPath(_ file: stat?) throws(SystemError) -> Bool {
            let status = try calls.status(ofPath: path)
            guard let file, let status else { return file == nil && status == nil }
            return status.isFile(file)
        }

        /// How often a folder is looked at whose files are renamed meanwhile.
        private static var looks: Int { 10 }

        /// Opens the file of a position, which may have another name by now, and those that were read beside it.
        func goOn(from position: FollowingPosition) throws(SystemError) {
            var found: [TrackedFile] = []
            let wanted = [position] + position.beside
            for place in wanted {
                guard let file = try find(place) else { continue }
                if try calls.status(of: file.descriptor).st_size < place.offset {
                    followsGap = true
                } else {
                    file.move(to: place.offset)
                }
                found.append(file)
            }
            // An older file had been read to its end: only what was written to it since would be missing.
            let newest = wanted.max { $0.created < $1.created } ?? position
            if !found.contains(where: { $0.place.isInFile(of: newest) }) { followsGap = true }
            found.sort { $0.wasRotated != $1.wasRotated ? $0.wasRotated : $0.place.created < $1.place.created }
            found.forEach(append)
            if !found.isEmpty { return }
            if newest.created != 0,
                let next = try rotatedFiles(in: folder, of: name).filter({
                    $0.created > newest.created && $0.name.isPlain && !$0.name.isCompressed
                }).min(by: { $0.isOlder(than: $1) }), let file = try open(next.path, wasRotated: true)
            {
                return append(file)
            }
            _ = try openPath()
        }

        private var folder: String { path.folderOfPath }

        private var name: String { path.namesInPath.last ?? path }

        /// Opens the file of a place, whatever its name.
        private func find(_ place: FollowingPosition) throws(SystemError) -> TrackedFile? {
            // A file may get another name between the look and the opening, and during the look.
            var wasMissing = false
            for _ in 0..<Self.looks {
                let names = try calls.entries(of: folder).filter { $0.inode == place.inode }.map(\.name)
                for path in [path] + names.map({ "\(folder)/\($0)" }) {
                    let file: TrackedFile?
                    if path == self.path {
                        // Opened as the first time; without permission it is not this one.
                        let isOpen = try? openPath()
                        file = isOpen == true ? files.popLast() : nil
                    } else {
                        file = try? open(path, wasRotated: true)
                    }
                    if let file, file.place.isInFile(of: place) { return file }
                }
                if names.isEmpty, wasMissing { return nil }
                wasMissing = names.isEmpty
            }
            return nil
        }

        /// The files that had the path after a file and before the one that has it now, the oldest first.
        private func successors(
            of file: TrackedFile, before current: stat?
        ) throws(SystemError) -> (files: [RotatedFile], hasGap: Bool) {
            let ownPath = try calls.target(ofLink: "/proc/self/fd/\(file.descriptor.number)") ?? ""
            let ownFolder = ownPath.isEmpty ? folder : ownPath.folderOfPath
            var all: [RotatedFile] = []
            var isDeleted = false
            for _ in 0..<Self.looks {
                all = try rotatedFiles(in: ownFolder, of: name)
                if all.contains(where: { $0.isFile(file) }) { break }
                isDeleted = try calls.status(of: file.descriptor).st_nlink == 0
                if isDeleted { break }
            }
            if let own = all.filter({ $0.isFile(file) }).max(by: { $0.isOlder(than: $1) }) {
                all = all.filter { $0.name.form == own.name.form && !$0.isFile(file) && !$0.isFile(current) }
                let compressed = all.filter {
                    $0.name.isCompressed && (own.name.count == nil ? own.wasWrittenBefore($0) : own.isOlder(than: $0))
                }
                let later = all.filter { !$0.name.isCompressed && own.isOlder(than: $0) }
                return (later.sorted { $0.isOlder(than: $1) }, !compressed.isEmpty)
            }
            // Its name is gone: those of others tell which were made after it.
            let own = try calls.status(of: file.descriptor)
            let hasCompressed = all.contains {
                $0.name.isPlain && $0.name.isCompressed && isEarlier(own.st_mtim, $0.status.st_mtim)
            }
            if file.place.created == 0 { return ([], hasCompressed) }
            let later = all.filter {
                $0.name.isPlain && !$0.name.isCompressed && $0.created > file.place.created && !$0.isFile(current)
            }
            return (later.sorted { $0.isOlder(than: $1) }, hasCompressed || isDeleted && !later.isEmpty)
        }

        /// The files that rotation has renamed.
        ///
        /// A listing may miss a file that is renamed meanwhile, or have a name that is gone: two in a row have to agree.
        private func rotatedFiles(in folder: String, of base: String) throws(SystemError) -> [RotatedFile] {
            var names = try rotatedNames(in: folder, of: base)
            for _ in 0..<Self.looks {
                let files = try rotatedFiles(in: folder, names)
                let again = try rotatedNames(in: folder, of: base)
                if again.mapValues(\.inode) == names.mapValues(\.inode) { return files }
                names = again
            }
            return try rotatedFiles(in: folder, names)
        }

        private func rotatedNames(
            in folder: String, of base: String
        ) throws(SystemError) -> [String: (inode: UInt64, name: RotatedName)] {
            var names: [String: (inode: UInt64, name: RotatedName)] = [:]
            for entry in try calls.entries(of: folder) {
                if let name = RotatedName(entry.name, of: base) { names[entry.name] = (entry.inode, name) }
            }
            return names
        }

        private func rotatedFiles(
            in folder: String, _ names: [String: (inode: UInt64, name: RotatedName)]
        ) throws(SystemError) -> [RotatedFile] {
            var files: [RotatedFile] = []
            for (entry, (_, name)) in names {
                let path = "\(folder)/\(entry)"
                guard let status = try calls.linkStatus(ofPath: path), status.st_mode & S_IFMT == S_IFREG else {
                    continue
                }
                files.append(
                    RotatedFile(path: path, name: name, status: status, created: calls.birthTime(ofPath: path)))
            }
            return files
        }

        /// Opens the copy that was made of a file before it was truncated, which has the same bytes before the place,
        /// and those that were made after it.
        func copies(of file: TrackedFile) throws(SystemError) -> [TrackedFile] {
            if file.tail.isEmpty { return [] }
            look: for _ in 0..<Self.looks {
                let all = try rotatedFiles(in: folder, of: name).filter {
                    !$0.name.isCompressed && $0.created >= file.place.created
                }
                var copies: [(file: TrackedFile, form: String)] = []
                for candidate in all.sorted(by: { $1.isOlder(than: $0) }) {
                    let copy: TrackedFile?
                    do { copy = try open(candidate.path, wasRotated: true) } catch { continue }
                    // It has got another name since.
                    guard let copy, candidate.isFile(copy) else { continue look }
                    if files.contains(where: { $0.place.isInFile(of: copy.place) }) { continue }
                    copy.isCopy = true
                    copies.insert((copy, candidate.name.form), at: 0)
                    let start = file.place.offset - file.tail.count
                    if try calls.read(copy.descriptor, at: start, count: file.tail.count) == file.tail {
                        copy.move(to: file.place.offset)
                        return copies.filter { $0.form == candidate.name.form }.map(\.file)
                    }
                    copy.move(to: 0, afterTruncation: true)
                }
                return []
            }
            return []
        }
    }

    extension RotatedFile {
        fileprivate func isFile(_ other: stat?) -> Bool { other.map(status.isFile) ?? false }
    }

    extension stat {
        fileprivate func isFile(_ other: stat) -> Bool { st_dev == other.st_dev && st_ino == other.st_ino }
    }

    extension FollowingPosition {
        /// Whether it is a place in the file with a status.
        func isInFile(_ status: stat) -> Bool {
            device == UInt64(status.st_dev) && inode == UInt64(status.st_ino)
        }
    }
#endif
