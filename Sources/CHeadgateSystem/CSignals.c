#include "CHeadgateSystem.h"

#include <errno.h>
#include <stdatomic.h>

// A semaphore is the one thing to wait for that a handler may touch and that takes no descriptor.
#ifdef __APPLE__
#include <mach/mach.h>
#include <mach/semaphore.h>
static semaphore_t semaphore;
int headgate_prepare_signals(void) {
    return semaphore_create(mach_task_self(), &semaphore, SYNC_POLICY_FIFO, 0) == KERN_SUCCESS ? 0 : -1;
}
static void post(void) { semaphore_signal(semaphore); }
int headgate_await_signal(void) { return semaphore_wait(semaphore) == KERN_SUCCESS ? 0 : -1; }
#else
#include <semaphore.h>
static sem_t semaphore;
int headgate_prepare_signals(void) { return sem_init(&semaphore, 0, 0); }
static void post(void) { sem_post(&semaphore); }
int headgate_await_signal(void) { return sem_wait(&semaphore); }
#endif

static _Atomic uint64_t caught;

static void handle(int number) {
    int code = errno;
    uint64_t bit = (uint64_t)1 << (number - 1);
    // The thread that set the bit before has posted, too, and the signal has not been taken since.
    if ((atomic_fetch_or(&caught, bit) & bit) == 0) post();
    errno = code;
}

int headgate_catch_signal(int number, struct sigaction *before) {
    struct sigaction action = {0};
    action.sa_handler = handle;
    // Calls that others are making go on; a thread with a stack of its own for signals keeps to it.
    action.sa_flags = SA_RESTART | SA_ONSTACK;
    sigfillset(&action.sa_mask);
    return sigaction(number, &action, before);
}

uint64_t headgate_take_signals(void) { return atomic_exchange(&caught, 0); }
