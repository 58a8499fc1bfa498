#ifndef HEADGATE_THREAD_H
#define HEADGATE_THREAD_H
// Stands in for the module of this name: what it holds for each thread belongs to a virtual thread, and time passes
// when the search says so.
#include "model.h"
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static inline int64_t headgate_depth(void) { return model_depth(); }
static inline void headgate_deepen(int64_t change) { model_deepen(change); }
static inline uintptr_t headgate_thread(void) { return ((uintptr_t)model_thread() + 1) << 4; }

static inline const void *headgate_subscribing(void) { return model_subscribing(); }
static inline const void *headgate_subscribe_for(const void *run) { return model_subscribe_for(run); }
static inline const void *headgate_queues(void) { return model_queues(); }
static inline const void *headgate_register_in(const void *registry) { return model_register_in(registry); }
static inline void headgate_pause(void) { model_yield(); }
static inline void headgate_yield(void) { model_yield(); }
static inline void headgate_sleep(uint64_t nanoseconds) { model_yield(); }
static inline uint64_t headgate_nanoseconds(void) { return model_now(); }
static inline uint64_t headgate_ticks(void) { return model_now(); }

// Shadows/BoundedWait.swift stands in for what calls these.
static inline void headgate_park(const void *word, uint32_t expected, uint64_t nanoseconds) {}
static inline void headgate_wake(const void *word) {}

struct headgate_bell {
    struct model_mutex *lock;
    int isRung;
};

static inline struct headgate_bell *headgate_make_bell(void) {
    struct headgate_bell *bell = (struct headgate_bell *)malloc(sizeof(struct headgate_bell));
    bell->lock = model_mutex_create("bell", 0);
    bell->isRung = 0;
    return bell;
}

static inline void headgate_ring(struct headgate_bell *bell) {
    model_lock(bell->lock);
    bell->isRung = 1;
    model_unlock(bell->lock);
    model_unpark(bell, 1);
}

static inline void headgate_wait(struct headgate_bell *bell, int64_t nanoseconds) {
    model_lock(bell->lock);
    int isRung = bell->isRung;
    bell->isRung = 0;
    model_unlock(bell->lock);
    // Nobody can come in between.
    if (isRung || nanoseconds == 0) return;
    model_park(bell, nanoseconds > 0);
    model_lock(bell->lock);
    bell->isRung = 0;
    model_unlock(bell->lock);
}

static void headgate_begin(void *body) { ((void (*)(void))body)(); }

static inline void headgate_start_thread(void (*body)(void)) { model_spawn_for_ever(headgate_begin, (void *)body); }

#endif
