#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "HeadgateThread.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

HEADGATE_THREAD_LOCAL int64_t headgate_thread_depth;
HEADGATE_THREAD_LOCAL struct headgate_mark *headgate_thread_marks;
HEADGATE_THREAD_LOCAL const void *headgate_thread_subscribing;

struct headgate_bell {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
    int is_rung;
};

struct headgate_bell *headgate_make_bell(void) {
    struct headgate_bell *bell = calloc(1, sizeof *bell);
    if (!bell) abort();
    pthread_mutex_init(&bell->mutex, NULL);
#if defined(__APPLE__)
    pthread_cond_init(&bell->condition, NULL);
#else
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&bell->condition, &attributes);
    pthread_condattr_destroy(&attributes);
#endif
    return bell;
}

void headgate_ring(struct headgate_bell *bell) {
    pthread_mutex_lock(&bell->mutex);
    bell->is_rung = 1;
    pthread_cond_signal(&bell->condition);
    pthread_mutex_unlock(&bell->mutex);
}

// A day at most, so that no moment is too far for the system; who waits looks again.
static struct timespec headgate_bounded(int64_t nanoseconds) {
    const int64_t day = 86400000000000;
    if (nanoseconds > day) nanoseconds = day;
    struct timespec length = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
    return length;
}

void headgate_wait(struct headgate_bell *bell, int64_t nanoseconds) {
    pthread_mutex_lock(&bell->mutex);
    if (!bell->is_rung) {
        if (nanoseconds < 0) {
            pthread_cond_wait(&bell->condition, &bell->mutex);
        } else {
            struct timespec date = headgate_bounded(nanoseconds);
#if defined(__APPLE__)
            pthread_cond_timedwait_relative_np(&bell->condition, &bell->mutex, &date);
#else
            struct timespec now;
            clock_gettime(CLOCK_MONOTONIC, &now);
            date.tv_sec += now.tv_sec;
            date.tv_nsec += now.tv_nsec;
            if (date.tv_nsec >= 1000000000) {
                date.tv_sec += 1;
                date.tv_nsec -= 1000000000;
            }
            pthread_cond_timedwait(&bell->condition, &bell->mutex, &date);
#endif
        }
    }
    bell->is_rung = 0;
    pthread_mutex_unlock(&bell->mutex);
}

static void *headgate_run(void *body) {
    ((void (*)(void))body)();
    return NULL;
}

void headgate_start_thread(void (*body)(void)) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    // Where there is no thread to be had for the moment, there will be: Dispatch waits for its own in the same way.
    while (pthread_create(&thread, &attributes, headgate_run, (void *)body)) headgate_sleep(10000000);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}
