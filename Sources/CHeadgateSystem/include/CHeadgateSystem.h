// Calls of Linux that the C library declares only where _GNU_SOURCE is defined, which it is not when Swift imports it.
#ifndef CHEADGATESYSTEM_H
#define CHEADGATESYSTEM_H

#include "CProcesses.h"
#include "CSignals.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/// Moves a new descriptor above the three standard streams, if it is not there: what is written to one of those, by anybody
/// in the process, would go to it. Passes on a failure.
int headgate_above_standard_streams(int descriptor);

/// Opens something that can't be used for each standard stream that is closed. Done once when the process starts.
void headgate_guard_standard_streams(void);

/// Reads the size of a terminal. Answers zero, or -1 if it is none.
static inline int headgate_terminal_size(int descriptor, struct winsize *size) {
    return ioctl(descriptor, TIOCGWINSZ, size);
}

#ifdef __linux__
#include <sys/epoll.h>

int pipe2(int descriptors[2], int flags);
int accept4(int listener, struct sockaddr *address, socklen_t *length, int flags);
#endif

#endif
