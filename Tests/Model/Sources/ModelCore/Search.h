#pragma once
// Which thread runs, and which of several ways an execution takes.
#include "Coroutine.h"
#include "Views.h"
#include "model.h"

#include <string>

namespace model {

struct Thread {
    Coroutine coroutine;
    void (*body)(void *);
    void *context;
    bool isFinished, hasYielded;
    bool livesOn;  // from one execution to the next
    model_mutex *awaited;
    const void *parked;  // what it sleeps at until it is woken, or null
    bool isTimed, isLate;  // whether it sleeps for a limited time, and whether that has passed
    View view;
    Clock clock;
    int ignored;  // of plain accesses
    int64_t depth;
    const void *subscribing;
    const void *queues;
};

/// The number of the execution; zero before the first.
extern long execution;
extern Thread threads[maxThreads];
extern int current;
/// Whether virtual threads are running.
extern bool isRunning;
extern bool hasFailed;
extern model_bounds bounds;
/// How many stale reads this execution has had.
extern int stale;
extern int spurious;

inline Thread &me() { return threads[current]; }

/// One of so many ways; the first is what a strong, undisturbed machine would do.
int choose(int count);
/// A scheduling point, before an operation.
void schedule();
/// Another thread continues, because this one can't.
void giveWay();
/// What the current thread has written may be what others wait for.
void wakeOthers();
void fail(const std::string &message);

}  // namespace model
