#define _GNU_SOURCE
#include "CHeadgateSystem.h"

#ifdef __linux__

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Numbers that are the same on every processor that Swift runs on, for headers that are older than the kernel.
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#define SIGNAL_PROCESS_GROUP (1U << 2)

// Not in every C library.
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *, const char *) __attribute__((weak));

#ifndef POSIX_SPAWN_SETSID
#define POSIX_SPAWN_SETSID 0x80
#endif

int headgate_spawn(
    pid_t *child, const char *path, char *const arguments[], char *const environment[], const char *directory,
    const int descriptors[3], int has_session) {
    posix_spawn_file_actions_t actions;
    int code = posix_spawn_file_actions_init(&actions);
    if (code) return code;
    posix_spawnattr_t attributes;
    code = posix_spawnattr_init(&attributes);
    if (code) {
        posix_spawn_file_actions_destroy(&actions);
        return code;
    }
    for (int number = 0; number < 3 && !code; number++)
        if (descriptors[number] >= 0)
            code = posix_spawn_file_actions_adddup2(&actions, descriptors[number], number);
    if (directory && !code)
        code = posix_spawn_file_actions_addchdir_np ? posix_spawn_file_actions_addchdir_np(&actions, directory) : ENOSYS;
    if (!code) {
        // The threads of Dispatch have all signals blocked, which a child would inherit.
        sigset_t none, defaults;
        sigemptyset(&none);
        sigemptyset(&defaults);
        sigaddset(&defaults, SIGPIPE);
        sigaddset(&defaults, SIGCHLD);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &defaults);
        posix_spawnattr_setflags(
            &attributes,
            (has_session ? POSIX_SPAWN_SETSID : 0) | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        code = posix_spawn(child, path, &actions, &attributes, arguments, environment ? environment : environ);
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

char **headgate_environment(void) { return environ; }

void headgate_keep_children(void) {
    struct sigaction action;
    if (sigaction(SIGCHLD, NULL, &action)) return;
    if (!(action.sa_flags & SA_NOCLDWAIT) && (action.sa_flags & SA_SIGINFO || action.sa_handler != SIG_IGN)) return;
    action.sa_flags &= ~SA_NOCLDWAIT;
    if (!(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_IGN) action.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &action, NULL);
}

int headgate_open_process(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

int headgate_signal_process(int process_descriptor, int signal) {
    return (int)syscall(SYS_pidfd_send_signal, process_descriptor, signal, 0, 0);
}

int headgate_signal_group(int process_descriptor, pid_t group, int signal) {
    // Since Linux 6.9, and safe however many processes have come and gone since.
    int result = (int)syscall(SYS_pidfd_send_signal, process_descriptor, signal, 0, SIGNAL_PROCESS_GROUP);
    if (result < 0 && (errno == EINVAL || errno == ENOSYS || errno == EPERM)) result = kill(-group, signal);
    return result;
}

static int runs_in_group(const char *process, pid_t group) {
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%.20s/stat", process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    if (count <= 0) return 0;
    text[count] = 0;
    // The name before this may have anything in it.
    const char *rest = strrchr(text, ')');
    char state;
    int parent, its_group;
    if (!rest || sscanf(rest + 1, " %c %d %d", &state, &parent, &its_group) != 3) return 0;
    return its_group == group && state != 'Z' && state != 'X';
}

int headgate_group_runs(int process_descriptor, pid_t group) {
    if (headgate_signal_group(process_descriptor, group, 0) < 0) return 0;
    DIR *processes = opendir("/proc");
    if (!processes) return 1;
    int runs = 0;
    struct dirent *entry;
    while (!runs && (entry = readdir(processes)))
        if (isdigit((unsigned char)entry->d_name[0])) runs = runs_in_group(entry->d_name, group);
    closedir(processes);
    return runs;
}

int headgate_look_at_child(pid_t child, int *status) {
    siginfo_t information;
    memset(&information, 0, sizeof information);
    if (waitid(P_PID, (id_t)child, &information, WEXITED | WNOHANG | WNOWAIT) < 0) return -1;
    if (information.si_pid == 0) return 0;
    *status = information.si_status;
    return information.si_code == CLD_EXITED ? 1 : 2;
}

int headgate_reap_child(pid_t child) {
    siginfo_t information;
    return waitid(P_PID, (id_t)child, &information, WEXITED | WNOHANG);
}

int64_t headgate_birth_time(int descriptor, const char *path) {
    struct statx status;
    if (statx(descriptor, path, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW, STATX_BTIME, &status) < 0 || !(status.stx_mask & STATX_BTIME)) return 0;
    return (int64_t)status.stx_btime.tv_sec * 1000000000 + status.stx_btime.tv_nsec;
}

int headgate_open_unnamed(const char *folder, mode_t mode) {
    return open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
}

#endif
