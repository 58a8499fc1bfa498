// Calls of Linux that the C library declares only where _GNU_SOURCE is defined, which it is not when Swift imports it.
#ifndef CHEADGATESYSTEM_H
#define CHEADGATESYSTEM_H

#include "CProcesses.h"
#include "CSignals.h"

#include <sys/ioctl.h>
#include <sys/socket.h>

/// Reads the size of a terminal. Answers zero, or -1 if it is none.
static inline int headgate_terminal_size(int descriptor, struct winsize *size) {
    return ioctl(descriptor, TIOCGWINSZ, size);
}

// How many bytes that were written to a socket the other side has not taken yet; -1 for an error.
static inline int headgate_count_unsent_bytes(int descriptor) {
    int count = 0;
    return ioctl(descriptor, TIOCOUTQ, &count) < 0 ? -1 : count;
}

#ifdef __linux__
#include <sys/epoll.h>

int pipe2(int descriptors[2], int flags);
int accept4(int listener, struct sockaddr *address, socklen_t *length, int flags);
#endif

#endif
