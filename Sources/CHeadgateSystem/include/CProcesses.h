// Children: what Swift does not see of the C library, and what differs between versions of it.
#ifndef CPROCESSES_H
#define CPROCESSES_H

#ifdef __linux__

#include <stdint.h>
#include <sys/epoll.h>
#include <sys/types.h>

/// Starts a program in a process group of its own, with no signal blocked and SIGPIPE as by default.
///
/// Answers a code of errno, or zero. A descriptor is for standard input, output and error each; the child shares ours where
/// it is negative. All others have to be above 2.
int headgate_spawn(
    pid_t *child, const char *program, char *const arguments[], char *const environment[], const char *directory,
    const int descriptors[3]);

/// Opens a descriptor that can be read when a process has ended.
int headgate_open_process(pid_t process);

/// Sends a signal to the group that a process leads or led; 0 only looks whether there is one.
int headgate_signal_group(int process_descriptor, pid_t group, int signal);

/// Whether a process of a group runs: 1 or 0. One that has ended and waits for its parent to notice does not.
int headgate_group_runs(int process_descriptor, pid_t group);

/// Looks whether a child has ended, and leaves it as it is: 1 for an exit, 2 for an end by signal, 0 for neither.
int headgate_look_at_child(pid_t child, int *status);

/// Takes a child that has ended off the system's list.
int headgate_reap_child(pid_t child);

/// When a file was created, in nanoseconds; zero where that is not known.
int64_t headgate_birth_time(int descriptor);

/// How many bytes wait in a pipe.
int headgate_count_waiting_bytes(int descriptor);

#endif

#endif
