#include "Search.h"

#include "Memory.h"
#include "Trace.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace model {

constexpr size_t stackSize = 1 << 20;

long execution = 0;
Thread threads[maxThreads];
int current = 0;
bool isRunning = false, hasFailed = false;
model_bounds bounds;
int stale, spurious;

namespace {

std::string failure;
char *stacks[maxThreads];
// Those of the execution, and those that live on, which come last.
int threadCount = 1, livingOn = 0;
int preemptions, leaps;
long idleWaits;
uint64_t clockTime, randomState;
long steps;
model_outcome outcome;

// The ways that this execution has taken: the next one differs in the last that has another.
struct Choice { int count, taken; };
std::vector<Choice> path;
size_t position = 0;
// Whether the execution takes the ways of the previous one.
bool isRepeated = false;

uint64_t nextRandom() {
    randomState ^= randomState << 13;
    randomState ^= randomState >> 7;
    randomState ^= randomState << 17;
    return randomState >> 11;
}

void run(int next) {
    if (next == current) return;
    int previous = current;
    current = next;
    switchTo(threads[previous].coroutine, threads[next].coroutine);
}

/// The other threads that can continue.
int others(int *list, bool withYielded) {
    int count = 0;
    for (int i = 1; i < maxThreads; i++) {
        Thread &thread = threads[i];
        if (i != current && !thread.isFinished && !thread.awaited && !thread.parked &&
            (withYielded || !thread.hasYielded))
            list[count++] = i;
    }
    return count;
}

void passTime() { clockTime += 1000000000; }

/// Another thread that can continue. If there is none, one that has yielded, or one that sleeps for a limited time, because
/// time passes. Zero if there is none of these.
int another(bool canContinue) {
    int list[maxThreads];
    int count = others(list, false);
    if (!count) {
        count = others(list, true);
        for (int i = 0; i < count; i++) threads[list[i]].hasYielded = false;
        for (int i = 1; i < maxThreads; i++)
            if (threads[i].parked && threads[i].isTimed) list[count++] = i;
    }
    if (!count) return 0;
    int taken = list[choose(count)];
    if (threads[taken].parked) {
        threads[taken].parked = nullptr;
        threads[taken].isLate = true;
        if (!canContinue && !threads[taken].livesOn) idleWaits++;
        passTime();
    }
    return taken;
}

void countStep() {
    if (++steps > bounds.steps) fail("livelock: more than " + std::to_string(bounds.steps) + " operations");
}

void beginThread() {
    me().body(me().context);
    me().isFinished = true;
    wakeOthers();
    giveWay();
    abort();
}

void onSignal(int signal) {
    failure = "crash: signal " + std::to_string(signal);
    model_print_trace();
    printf("CRASH signal %d\n", signal);
    fflush(stdout);
    _exit(97);
}

/// Once: stacks, and a handler that prints the trace of an execution in which the library traps.
void prepareProcess() {
    static bool isReady = false;
    if (isReady) return;
    isReady = true;
    static char alternate[1 << 16];
    stack_t stack = {};
    stack.ss_sp = alternate;
    stack.ss_size = sizeof alternate;
    sigaltstack(&stack, nullptr);
    struct sigaction action = {};
    action.sa_handler = onSignal;
    action.sa_flags = SA_ONSTACK;
    for (int signal : {SIGSEGV, SIGILL, SIGBUS, SIGABRT, SIGTRAP, SIGFPE}) sigaction(signal, &action, nullptr);
    for (int i = 1; i < maxThreads; i++)
        stacks[i] = (char *)mmap(nullptr, stackSize, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

}  // namespace

int choose(int count) {
    if (count <= 1) return 0;
    if (bounds.seed && !isRepeated) {
        // The undisturbed way more often than the others, or the first operations would use up all bounds.
        int taken = nextRandom() % 3 ? 0 : (int)(nextRandom() % count);
        path.push_back({count, taken});
        return taken;
    }
    if (position == path.size()) path.push_back({count, 0});
    Choice &choice = path[position];
    if (choice.count != count) {
        fail("the scenario isn't deterministic: choice " + std::to_string(position) + " had " +
             std::to_string(choice.count) + " ways, and has " + std::to_string(count));
        return 0;
    }
    position++;
    return choice.taken;
}

void schedule() {
    if (!isRunning || current == 0) return;
    countStep();
    if (preemptions >= bounds.preemptions) return;
    int list[maxThreads];
    int count = others(list, false);
    if (int taken = choose(count + 1)) {
        preemptions++;
        run(list[taken - 1]);
    }
}

void giveWay() {
    if (int next = another(false)) return run(next);
    for (int i = 1; i < maxThreads; i++)
        if (!threads[i].isFinished && !threads[i].livesOn)
            return fail("deadlock: every thread waits for a lock, or to be woken");
    run(0);
}

void wakeOthers() {
    for (int i = 1; i < maxThreads; i++)
        if (i != current) threads[i].hasYielded = false;
}

void fail(const std::string &message) {
    if (hasFailed) return;
    hasFailed = true;
    failure = message;
    if (isRunning && current != 0) {
        // The other threads are never resumed, and leak what they hold.
        int previous = current;
        current = 0;
        isRunning = false;
        switchTo(threads[previous].coroutine, threads[0].coroutine);
        abort();
    }
}

}  // namespace model

using namespace model;

extern "C" {

void model_begin(const char *scenario, model_bounds newBounds) {
    prepareProcess();
    bounds = newBounds;
    hasFailed = false;
    failure.clear();
    path.clear();
    outcome = {};
    randomState = newBounds.seed * 2654435761u + 88172645463325252ull;
}

void model_begin_execution(void) {
    execution++;
    position = 0;
    if (bounds.seed && !isRepeated) path.clear();
    current = 0;
    threadCount = 1;
    clearTrace();
    beginMemory();
    preemptions = stale = spurious = leaps = 0;
    idleWaits = 0;
    steps = 0;
    clockTime = 1000000000;
    for (int i = 0; i < maxThreads; i++) {
        Thread &thread = threads[i];
        thread.view.count = 0;
        thread.clock.clear();
        thread.clock.time[i] = 1;
        if (thread.livesOn) continue;
        thread.isFinished = i > 0;
        thread.hasYielded = false;
        thread.awaited = nullptr;
        thread.parked = nullptr;
        thread.ignored = 0;
        thread.depth = 0;
        thread.subscribing = nullptr;
        thread.queues = nullptr;
    }
}

static void start(int index, void (*body)(void *), void *context) {
    Thread &thread = threads[index];
    thread.body = body;
    thread.context = context;
    thread.isFinished = false;
    thread.parked = nullptr;
    if (isRunning) {
        thread.view = me().view;
        thread.clock.join(me().clock);
        me().clock.time[current]++;
    }
    prepare(thread.coroutine, stacks[index], stackSize, beginThread);
}

void model_spawn(void (*body)(void *), void *context) {
    if (threadCount + livingOn >= maxThreads) return fail("too many threads");
    start(threadCount++, body, context);
}

void model_spawn_for_ever(void (*body)(void *), void *context) {
    if (threadCount + livingOn >= maxThreads) return fail("too many threads");
    int index = maxThreads - ++livingOn;
    threads[index].livesOn = true;
    start(index, body, context);
}

void model_run(void) {
    if (hasFailed || threadCount == 1) return;
    for (int i = 1; i < maxThreads; i++) {
        threads[i].view = threads[0].view;
        threads[i].clock.join(threads[0].clock);
    }
    threads[0].clock.time[0]++;
    int first = 1 + choose(threadCount - 1);
    isRunning = true;
    run(first);
    isRunning = false;
    if (hasFailed) return;
    for (int i = 1; i < maxThreads; i++) {
        threads[0].view.join(threads[i].view);
        threads[0].clock.join(threads[i].clock);
    }
}

/// Lets the threads that live on continue until all of them sleep, for as long as it takes.
static void settle() {
    int next = livingOn > 0 && !hasFailed ? another(false) : 0;
    if (!next) return;
    isRunning = true;
    run(next);
    isRunning = false;
}

void model_repeat_execution(void) {
    settle();
    isRepeated = true;
    model_begin_execution();
}

int model_end_execution(void) {
    settle();
    isRepeated = false;
    outcome.executions++;
    outcome.steps += steps;
    if ((int)path.size() > outcome.choices) outcome.choices = (int)path.size();
    if (hasFailed) {
        // They have stopped anywhere, and never continue.
        for (Thread &thread : threads) thread.livesOn = false;
        return 0;
    }
    if (!bounds.seed) {
        while (!path.empty() && path.back().taken + 1 == path.back().count) path.pop_back();
        if (path.empty()) {
            outcome.complete = 1;
            return 0;
        }
        path.back().taken++;
    }
    return outcome.executions < bounds.executions;
}

model_outcome model_result(void) { return outcome; }

int model_choose(int count, const char *what) {
    if (!isRunning) return 0;
    int taken = choose(count);
    record(choice, what, taken);
    return taken;
}

void model_yield(void) {
    if (!isRunning || current == 0) return;
    countStep();
    record(yield, nullptr, 0);
    if (int next = another(true)) {
        me().hasYielded = true;
        run(next);
    }
}

int model_park(const void *key, int isTimed) {
    if (!isRunning || current == 0) return 0;
    countStep();
    record(step, isTimed ? "sleeps for a time" : "sleeps", 0);
    if (isTimed && leaps < bounds.leaps && model_choose(2, "the time passes")) {
        leaps++;
        passTime();
        return 0;
    }
    me().parked = key;
    me().isTimed = isTimed != 0;
    me().isLate = false;
    giveWay();
    return !me().isLate;
}

int model_unpark(const void *key, int count) {
    int woken = 0;
    for (; woken < count; woken++) {
        int list[maxThreads], ways = 0;
        for (int i = 1; i < maxThreads; i++)
            if (threads[i].parked == key) list[ways++] = i;
        if (!ways) break;
        // In whichever order all of them are woken, they can continue afterwards.
        threads[list[isRunning && count < ways ? choose(ways) : 0]].parked = nullptr;
    }
    return woken;
}

long model_idle_waits(void) { return idleWaits; }

void model_step(const char *what) {
    schedule();
    record(step, what, 0);
}

uint64_t model_now(void) {
    clockTime++;
    if (isRunning && leaps < bounds.leaps && model_choose(2, "a second passes")) {
        leaps++;
        clockTime += 1000000000;
    }
    return clockTime;
}

int model_waits(void) { return bounds.waits; }
int model_thread(void) { return current; }
void model_fail(const char *message) { fail(message); }
const char *model_failure(void) { return hasFailed ? failure.c_str() : nullptr; }

int64_t model_depth(void) { return me().depth; }
void model_deepen(int64_t change) { me().depth += change; }
const void *model_queues(void) { return me().queues; }
const void *model_register_in(const void *registry) {
    const void *outer = me().queues;
    me().queues = registry;
    return outer;
}

const void *model_subscribing(void) { return me().subscribing; }
const void *model_subscribe_for(const void *run) {
    const void *outer = me().subscribing;
    me().subscribing = run;
    return outer;
}

}
