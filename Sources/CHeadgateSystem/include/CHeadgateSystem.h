#ifndef CHEADGATESYSTEM_H
#define CHEADGATESYSTEM_H

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/types.h>
#ifdef __linux__
#include <sys/epoll.h>
#endif

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

// What a handler of signals does: little, for it may interrupt anything.

/// Prepares for the first signal. Returns -1 and sets errno on failure. Called once, before everything else here.
int headgate_prepare_signals(void);

/// Catches a signal from now on, and returns what was done about it before.
int headgate_catch_signal(int number, struct sigaction *before);

/// Waits until a signal has been caught; may return early, with -1 and EINTR in errno.
int headgate_await_signal(void);

/// Takes the signals caught since the last call: bit 0 is signal 1.
uint64_t headgate_take_signals(void);

// What the C library declares only where _GNU_SOURCE is defined, which it is not when Swift imports this.
#if defined(__linux__) && !defined(_GNU_SOURCE)
int pipe2(int descriptors[2], int flags);
int accept4(int listener, struct sockaddr *address, socklen_t *length, int flags);
#endif

#ifdef __linux__
// Children: what Swift does not see of the C library, and what differs between versions of it.

/// Starts a program, as the leader of a session of its own or in our process group, with no signal blocked, and SIGPIPE and
/// SIGCHLD as by default.
///
/// Answers a code of errno, or zero. Without an environment, the child gets ours. A descriptor is for standard input, output
/// and error each; the child shares ours where it is negative. All others have to be above 2.
int headgate_spawn(
    pid_t *child, const char *path, char *const arguments[], char *const environment[], const char *directory,
    const int descriptors[3], int has_session);

/// Our environment; null if it has been cleared, which Swift's own variable for it can't be.
char **headgate_environment(void);

/// Makes the system keep the exit status of children, which it discards where SIGCHLD is ignored, as by some who start us.
void headgate_keep_children(void);

/// Opens a descriptor that can be read when a process has ended.
int headgate_open_process(pid_t process);

/// Sends a signal to a process, and not to the others of its group.
int headgate_signal_process(int process_descriptor, int signal);

/// Sends a signal to the group that a process leads or led; 0 only looks whether there is one.
int headgate_signal_group(int process_descriptor, pid_t group, int signal);

/// Whether a process of a group runs: 1 or 0. One that has ended and waits for its parent to notice does not.
int headgate_group_runs(int process_descriptor, pid_t group);

/// Looks whether a child has ended, and leaves it as it is: 1 for an exit, 2 for an end by signal, 0 for neither.
int headgate_look_at_child(pid_t child, int *status);

/// Takes a child that has ended off the system's list.
int headgate_reap_child(pid_t child);

/// When a file was created, in nanoseconds; zero where that is not known. Of the descriptor's own file if the path is empty.
int64_t headgate_birth_time(int descriptor, const char *path);

/// Creates a file without a name in a folder, for writing.
int headgate_open_unnamed(const char *folder, mode_t mode);
#endif

#endif
