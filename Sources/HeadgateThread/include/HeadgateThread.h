#ifndef HEADGATE_THREAD_H
#define HEADGATE_THREAD_H

#include <stdint.h>
#include <sched.h>
#include <stddef.h>
#include <time.h>

// One word per thread, in C because Swift reaches a thread's own memory only through calls, and this is read and
// written at every delivery.

#if defined(__ELF__)
// One instruction instead of a call; a few bytes of the space that the loader keeps for libraries which come late.
#define HEADGATE_THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))
#else
#define HEADGATE_THREAD_LOCAL _Thread_local
#endif

// Its address is the number of the thread.
extern HEADGATE_THREAD_LOCAL _Alignas(16) int64_t headgate_thread_depth;

/// How deep inside of deliveries the calling thread is.
static inline int64_t headgate_depth(void) { return headgate_thread_depth; }

/// Raises or lowers the depth of the calling thread.
static inline void headgate_deepen(int64_t change) { headgate_thread_depth += change; }

/// A number that no two living threads share; greater than fifteen, with four low bits that are zero.
static inline uintptr_t headgate_thread(void) { return (uintptr_t)&headgate_thread_depth; }

extern HEADGATE_THREAD_LOCAL const void *headgate_thread_subscribing;

/// The stream of a stage for which the calling thread is subscribing upstream.
static inline const void *headgate_subscribing(void) { return headgate_thread_subscribing; }

/// Sets that, and returns what it was.
static inline const void *headgate_subscribe_for(const void *run) {
    const void *outer = headgate_thread_subscribing;
    headgate_thread_subscribing = run;
    return outer;
}

extern HEADGATE_THREAD_LOCAL const void *headgate_thread_queues;

/// The registry of the stage for which the calling thread is subscribing upstream.
static inline const void *headgate_queues(void) { return headgate_thread_queues; }

/// Sets that, and returns what it was.
static inline const void *headgate_register_in(const void *registry) {
    const void *outer = headgate_thread_queues;
    headgate_thread_queues = registry;
    return outer;
}

/// Tells the processor that the calling thread waits in a loop.
static inline void headgate_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ volatile("yield");
#endif
}

/// Lets other threads have the processor.
static inline void headgate_yield(void) { sched_yield(); }

/// Lets the calling thread rest for less than a second.
static inline void headgate_sleep(uint64_t nanoseconds) {
    struct timespec rest = {0, (long)nanoseconds};
    nanosleep(&rest, NULL);
}

/// Nanoseconds of a clock that never goes back.
static inline uint64_t headgate_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/// A number that grows at a constant rate, the same on all processors: cheaper to read than a clock.
static inline uint64_t headgate_ticks(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return headgate_nanoseconds();
#endif
}

/// Parks the calling thread, if the low half of a word is what is expected, until another one wakes it or a number of
/// nanoseconds has passed.
///
/// May return too early.
void headgate_park(const void *word, uint32_t expected, uint64_t nanoseconds);

/// Wakes all threads that are parked at a word; called after changing the word.
void headgate_wake(const void *word);

/// Wakes a thread that waits until a due time.
struct headgate_bell;

/// Creates a bell, which lives as long as the process.
struct headgate_bell *headgate_make_bell(void);

/// Wakes the thread that waits at a bell, or the next one to wait.
void headgate_ring(struct headgate_bell *bell);

/// Waits until a bell is rung or a number of nanoseconds has passed; indefinitely if it is negative.
///
/// May return too early.
void headgate_wait(struct headgate_bell *bell, int64_t nanoseconds);

/// Starts a thread that lives as long as the process and handles no signals.
void headgate_start_thread(void (*body)(void));

#endif
