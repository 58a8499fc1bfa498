// Calls of Linux that the C library declares only where _GNU_SOURCE is defined, which it is not when Swift imports it.
#ifndef CHEADGATESYSTEM_H
#define CHEADGATESYSTEM_H

#include "CProcesses.h"
#include "CSignals.h"

#include <sys/socket.h>

#ifdef __linux__
#include <sys/epoll.h>

int pipe2(int descriptors[2], int flags);
int accept4(int listener, struct sockaddr *address, socklen_t *length, int flags);
#endif

#endif
