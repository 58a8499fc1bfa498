#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "HeadgateThread.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

// Elsewhere a word of the system's time may be shorter than the kernel's.
#if defined(__linux__) && defined(__LP64__)
#define HEADGATE_FUTEX 1
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

// Aligned, because four low bits of its address are flags elsewhere.
HEADGATE_THREAD_LOCAL _Alignas(16) int64_t headgate_thread_depth;
HEADGATE_THREAD_LOCAL const void *headgate_thread_subscribing;
HEADGATE_THREAD_LOCAL const void *headgate_thread_queues;

struct headgate_bell {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
    int is_rung;
};

static void headgate_make_condition(pthread_cond_t *condition) {
#if defined(__APPLE__)
    pthread_cond_init(condition, NULL);
#else
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
#endif
}

struct headgate_bell *headgate_make_bell(void) {
    struct headgate_bell *bell = calloc(1, sizeof *bell);
    if (!bell) abort();
    pthread_mutex_init(&bell->mutex, NULL);
    headgate_make_condition(&bell->condition);
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

// Waits at a condition, whose mutex is locked, for a number of nanoseconds at most. Returns zero if it was signalled.
static int headgate_wait_at(pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t nanoseconds) {
    struct timespec date = headgate_bounded(nanoseconds);
#if defined(__APPLE__)
    return pthread_cond_timedwait_relative_np(condition, mutex, &date);
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    date.tv_sec += now.tv_sec;
    date.tv_nsec += now.tv_nsec;
    if (date.tv_nsec >= 1000000000) {
        date.tv_sec += 1;
        date.tv_nsec -= 1000000000;
    }
    return pthread_cond_timedwait(condition, mutex, &date);
#endif
}

void headgate_wait(struct headgate_bell *bell, int64_t nanoseconds) {
    pthread_mutex_lock(&bell->mutex);
    if (!bell->is_rung) {
        if (nanoseconds < 0) {
            pthread_cond_wait(&bell->condition, &bell->mutex);
        } else {
            headgate_wait_at(&bell->condition, &bell->mutex, nanoseconds);
        }
    }
    bell->is_rung = 0;
    pthread_mutex_unlock(&bell->mutex);
}

static const uint32_t *headgate_low_half(const void *word) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return (const uint32_t *)word + (sizeof(uintptr_t) / sizeof(uint32_t) - 1);
#else
    return word;
#endif
}

#if HEADGATE_FUTEX

void headgate_park(const void *word, uint32_t expected, uint64_t nanoseconds) {
    struct timespec length = headgate_bounded((int64_t)nanoseconds);
    syscall(SYS_futex, headgate_low_half(word), FUTEX_WAIT_PRIVATE, expected, &length, NULL, 0);
}

void headgate_wake(const void *word) {
    syscall(SYS_futex, headgate_low_half(word), FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

#else

// Without a call of the system for it: some places to park, each for many words. All threads that are parked at one are
// woken together, and look again.
static struct headgate_place {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
} headgate_places[64];

static void headgate_make_places(void) {
    for (int i = 0; i < 64; i++) {
        pthread_mutex_init(&headgate_places[i].mutex, NULL);
        headgate_make_condition(&headgate_places[i].condition);
    }
}

static struct headgate_place *headgate_place_of(const void *word) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, headgate_make_places);
    return &headgate_places[((uintptr_t)word >> 4) % 64];
}

void headgate_park(const void *word, uint32_t expected, uint64_t nanoseconds) {
    struct headgate_place *place = headgate_place_of(word);
    pthread_mutex_lock(&place->mutex);
    // Who wakes has changed the word before it locks the mutex: either this sees the change, or it sees this one wait.
    if (__atomic_load_n(headgate_low_half(word), __ATOMIC_RELAXED) == expected) {
        headgate_wait_at(&place->condition, &place->mutex, (int64_t)nanoseconds);
    }
    pthread_mutex_unlock(&place->mutex);
}

void headgate_wake(const void *word) {
    struct headgate_place *place = headgate_place_of(word);
    pthread_mutex_lock(&place->mutex);
    pthread_cond_broadcast(&place->condition);
    pthread_mutex_unlock(&place->mutex);
}

#endif

static void *headgate_run(void *body) {
#if defined(__linux__)
    // Otherwise the kernel may wake the thread 50 microseconds late, so that it can wake others with it.
    prctl(PR_SET_TIMERSLACK, 1UL);
#endif
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
