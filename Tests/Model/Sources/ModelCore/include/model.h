#ifndef MODEL_H
#define MODEL_H
// A stateless model checker for the C11 memory model without load buffering (RC11). Virtual threads are coroutines of
// one real thread, every atomic operation is a scheduling point, and a load may read any store that the thread's view
// permits.
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

enum { MODEL_RELAXED, MODEL_ACQUIRE, MODEL_RELEASE, MODEL_ACQ_REL, MODEL_SEQ_CST };
enum { MODEL_EXCHANGE, MODEL_ADD, MODEL_SUB, MODEL_OR, MODEL_AND, MODEL_XOR, MODEL_MIN, MODEL_MAX };

/// How far a scenario is explored. All limits count events, so that a run can be repeated on any machine.
struct model_bounds {
    int preemptions;  // switches away from a thread that could continue
    int stale;        // loads that don't read the newest store, and stores that don't become it
    int spurious;     // weak compare-exchanges that fail without a cause
    int leaps;        // leaps of the clock
    int waits;        // waits of one Patience
    long steps;       // operations in one execution before it counts as a livelock
    long executions;  // at most
    uint64_t seed;    // zero: depth first; otherwise at random
};

struct model_outcome {
    long executions;
    long steps;
    int choices;   // the most in one execution
    int complete;  // whether every execution within the bounds was run
};

// Where an operation stands in the source.
struct model_place {
    const char *file;
    int line, column;
};

struct model_location;
struct model_mutex;
struct model_cell;

// The search.
void model_begin(const char *scenario, struct model_bounds bounds);
void model_begin_execution(void);
/// Ends an execution, and begins another that takes the same choices.
void model_repeat_execution(void);
void model_spawn(void (*body)(void *), void *context);
/// Starts a thread that lives as long as the process: an execution ends when each of these sleeps until it is woken, and
/// in the next one they continue.
void model_spawn_for_ever(void (*body)(void *), void *context);
void model_run(void);
/// Ends an execution. Returns whether there is another one.
int model_end_execution(void);
struct model_outcome model_result(void);
/// One of so many ways, each of which is tried.
int model_choose(int count, const char *what);
/// Lets other threads continue until one of them has written something.
void model_yield(void);
/// Sleeps until it is woken at a key, without ordering anything, or until the time passes: now, as often as the clock
/// leaps, or when nobody else can continue. Returns whether it was woken.
int model_park(const void *key, int is_timed);
/// Wakes so many of those that sleep at a key. Returns how many there were.
int model_unpark(const void *key, int count);
/// How often in this execution nobody could continue before the time of a sleeping thread had passed.
long model_idle_waits(void);
/// A scheduling point without an access.
void model_step(const char *what);
uint64_t model_now(void);
int model_waits(void);
int model_thread(void);

// Failures and traces.
void model_fail(const char *message);
/// The failure of this search, or null.
const char *model_failure(void);
void model_print_trace(void);
/// Counts an outcome of executions.
void model_note(const char *text);
void model_print_notes(void);

// Atomics.
struct model_location *model_location_create(uint64_t value, const char *file, int line);
void model_location_destroy(struct model_location *);
/// How many atomics exist.
long model_living_locations(void);
uint64_t model_load(struct model_location *, int order, struct model_place);
void model_store(struct model_location *, uint64_t value, int order, struct model_place);
uint64_t model_update(struct model_location *, int operation, uint64_t operand, int bytes, int is_signed, int order,
                      struct model_place);
int model_compare_exchange(struct model_location *, uint64_t expected, uint64_t desired, int is_weak, int order,
                           uint64_t *old, struct model_place);

/// Sleeps at an atomic as at a futex: the kernel compares its newest value and enqueues the thread in one step.
int model_sleep(struct model_location *, uint64_t expected);
void model_wake(struct model_location *);

// Locks.
struct model_mutex *model_mutex_create(const char *file, int line);
void model_mutex_destroy(struct model_mutex *);
void model_lock(struct model_mutex *);
void model_unlock(struct model_mutex *);

// Plain memory: variables of a scenario, and memory that is allocated.
struct model_cell *model_cell_create(const char *name);
void model_cell_destroy(struct model_cell *);
void model_cell_access(struct model_cell *, int is_write);

// The orderings at the places in the sources.
void model_weaken(struct model_place, int order);
/// Writes what has been executed into a file: `place`, file, line, column, kind (0 load, 1 store, 2 update, 3
/// compare-exchange) and ordering, and `shared`, file and line of each declaration of an atomic or a lock that two
/// threads of one execution have used. Returns whether it was written.
int model_write_executed(const char *path);

// What HeadgateThread holds for each thread.
int64_t model_depth(void);
void model_deepen(int64_t);
const void *model_subscribing(void);
const void *model_subscribe_for(const void *);
const void *model_queues(void);
const void *model_register_in(const void *);

#ifdef __cplusplus
}
#endif
#endif
