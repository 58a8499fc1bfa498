// Children: what Swift does not see of the C library, and what differs between versions of it.
#ifndef CPROCESSES_H
#define CPROCESSES_H

#ifdef __linux__

#include <stdint.h>
#include <sys/epoll.h>
#include <sys/types.h>

/// Starts a program, as the leader of a session of its own or in our process group, with no signal blocked, and SIGPIPE and
/// SIGCHLD as by default.
///
/// Answers a code of errno, or zero. Without an environment, the child gets ours. A descriptor is for standard input, output and error each; the child shares ours where
/// it is negative. All others have to be above 2.
int headgate_spawn(
    pid_t *child, const char *path, char *const arguments[], char *const environment[], const char *directory,
    const int descriptors[3], int has_session);

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
