#if os(Linux)
    import CHeadgateSystem
    import HeadgateLibC

    /// An event of a watched file or folder.
    package struct InotifyEvent: Equatable {
        /// The watch that reported it.
        package let watch: Int32
        /// What happened, as the kernel's bits.
        package let mask: UInt32
        /// The number that the two halves of a move share.
        package let cookie: UInt32
        /// The name within the folder.
        package let name: String
    }

    extension SystemCalls {
        /// Opens a non-blocking event queue with `IN_CLOEXEC`.
        package func openInotify() throws(SystemError) -> Descriptor {
            // The kernel gives IN_NONBLOCK and IN_CLOEXEC the values of the flags of `open`.
            let number = try call("inotify_init1") {
                headgate_above_standard_streams(inotify_init1(Int32(O_NONBLOCK | O_CLOEXEC)))
            }
            return Descriptor(owning: number, path: "inotify", calls: self)
        }

        /// Watches a path.
        ///
        /// - Returns: The watch descriptor; an existing one if the same file is watched already.
        package func watch(_ path: String, _ mask: UInt32, in queue: Descriptor) throws(SystemError) -> Int32 {
            try call("inotify_add_watch", onPath: path) { inotify_add_watch(queue.number, $0, mask) }
        }

        /// Removes a watch; does nothing if it has been removed already.
        package func unwatch(_ watch: Int32, in queue: Descriptor) {
            _ = inotify_rm_watch(queue.number, watch)
        }

        /// Reads the pending events, as many as fit a buffer.
        package func events(in queue: Descriptor) throws(SystemError) -> [InotifyEvent] {
            let headerSize = 16
            let bytes = try read(queue, upTo: 1 << 13) ?? Bytes()
            let count = bytes.count
            return bytes.withUnsafeBytes { buffer in
                var events: [InotifyEvent] = []
                var place = 0
                while place + headerSize <= count {
                    func word(_ index: Int) -> UInt32 {
                        buffer.loadUnaligned(fromByteOffset: place + index * 4, as: UInt32.self)
                    }
                    let nameSize = Int(word(3))
                    let name = buffer[(place + headerSize)..<(place + headerSize + nameSize)].prefix { $0 != 0 }
                    events.append(
                        InotifyEvent(
                            watch: Int32(bitPattern: word(0)), mask: word(1), cookie: word(2),
                            name: String(systemName: name)))
                    place += headerSize + nameSize
                }
                return events
            }
        }
    }
#endif
