#if os(Linux)
    import HeadgateEngine
    import HeadgateLibC

    extension FollowingSource {
        /// Opens the file that has the path.
        ///
        /// - Parameter status: That of the file that it has to be, if it must not be another.
        /// - Returns: Whether it is open.
        func openPath(ifIn status: stat? = nil) throws(SystemError) -> Bool {
            if acceptsLinks == nil {
                guard let status = try calls.linkStatus(ofPath: path) else { return false }
                acceptsLinks = rules.followsNewLinks || status.st_mode & S_IFMT == S_IFLNK
            }
            guard let file = try open(path, followsLink: acceptsLinks ?? true, wasRotated: false) else { return false }
            if let status, !file.place.isInFile(status) { return false }
            append(file)
            return true
        }

        /// Begins to read a file; the one before is read on for a time.
        ///
        /// One that has been read, and has got its name back, is read on where that ended.
        func append(_ file: TrackedFile) {
            let place = files.firstIndex { $0.place.isInFile(of: file.place) }
            let known = place.map { files.remove(at: $0) }
            known?.expiry = nil
            known?.isOverdue = false
            if let last = files.last { startWaiting(for: last) }
            files.append(known ?? file)
        }

        private func startWaiting(for file: TrackedFile) {
            if file.expiry != nil { return }
            var time = rules.rotateWait.time
            // What was rotated long ago is complete.
            if file.wasRotated, let status = try? calls.status(of: file.descriptor) {
                var now = timespec()
                clock_gettime(CLOCK_REALTIME, &now)
                time -= max(.zero, .seconds(now.tv_sec - status.st_mtim.tv_sec))
            }
            file.expiry = Expiry(after: time, rules.rotateWait.alarm, waking: watcher)
        }

        /// Opens a file; `nil` if there is none.
        func open(_ path: String, followsLink: Bool = false, wasRotated: Bool) throws(SystemError) -> TrackedFile? {
            let opened: Descriptor
            do {
                opened = try calls.open(
                    path, O_RDONLY | O_NONBLOCK | O_NOCTTY | (followsLink ? 0 : O_NOFOLLOW))
            } catch  where error.code == ENOENT {
                return nil
            } catch  where error.code == ELOOP && !followsLink {
                throw SystemError(
                    call: "open", code: ELOOP, subject: path, explanation: "A symbolic link has replaced the file")
            }
            let status = try calls.status(of: opened)
            if status.st_mode & S_IFMT == S_IFDIR { throw SystemError(call: "read", code: EISDIR, subject: path) }
            let watch: FileWatch
            do {
                // By descriptor, because the file may have been renamed since.
                watch = try FileWatches.shared.add(
                    "/proc/self/fd/\(opened.number)", UInt32(IN_MODIFY) | UInt32(IN_ATTRIB), for: watcher, calls: calls)
            } catch {
                throw error.naming(path)
            }
            let place = FollowingPosition(
                device: UInt64(status.st_dev), inode: UInt64(status.st_ino), created: calls.birthTime(of: opened),
                offset: 0)
            return TrackedFile(opened, watch: watch, place: place, wasRotated: wasRotated)
        }
    }

    extension SystemError {
        /// The failure of a watch, with the path for which it was made, and with the limit that the code stands for.
        func naming(_ path: String) -> SystemError {
            let explanation: String? =
                switch (call, code) {
                case ("inotify_add_watch", ENOSPC): "The limit fs.inotify.max_user_watches is reached"
                case ("inotify_init1", EMFILE): "The limit of descriptors, or fs.inotify.max_user_instances, is reached"
                default: nil
                }
            return SystemError(call: call, code: code, subject: path, explanation: explanation)
        }
    }
#endif
