// Calls of Linux that the C library declares only where _GNU_SOURCE is defined, which it is not when Swift imports it.
#ifndef CHEADGATESYSTEM_H
#define CHEADGATESYSTEM_H

#include "CProcesses.h"
#include "CSignals.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/// Moves a new descriptor above the three standard streams, if it is not there: what is written to one of those, by anybody
/// in the process, would go to it. Passes on a failure.
int headgate_above_standard_streams(int descriptor);

/// Reads the size of a terminal. Answers zero, or -1 if it is none.
static inline int headgate_terminal_size(int descriptor, struct winsize *size) {
    return ioctl(descriptor, TIOCGWINSZ, size);
}

// Constants that C libraries declare with different types, or that Swift does not see.
static const int headgate_stream = SOCK_STREAM;
static const int headgate_datagram = SOCK_DGRAM;
static const int headgate_peeking = MSG_PEEK;
static const int headgate_tcp = IPPROTO_TCP;
#ifdef __APPLE__
static const int headgate_socket_flags = 0;
static const int headgate_sending = 0;
static const int headgate_keep_alive_idle = TCP_KEEPALIVE;
#else
static const int headgate_socket_flags = SOCK_CLOEXEC | SOCK_NONBLOCK;
static const int headgate_sending = MSG_NOSIGNAL;
static const int headgate_keep_alive_idle = TCP_KEEPIDLE;
static const int headgate_user_timeout = TCP_USER_TIMEOUT;
#endif

#ifdef __linux__
#include <sys/epoll.h>

int pipe2(int descriptors[2], int flags);
int accept4(int listener, struct sockaddr *address, socklen_t *length, int flags);
#endif

#endif
