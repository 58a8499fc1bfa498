#include "Search.h"

#include "Memory.h"
#include "Races.h"
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
int threadCount = 1;
int preemptions, leaps;
uint64_t clockTime, randomState;
long steps;
model_outcome outcome;

// The ways that this execution has taken: the next one differs in the last that has another.
struct Choice { int count, taken; };
std::vector<Choice> path;
size_t position = 0;

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
    for (int i = 1; i < threadCount; i++) {
        Thread &thread = threads[i];
        if (i != current && !thread.isFinished && !thread.awaited && (withYielded || !thread.hasYielded))
            list[count++] = i;
    }
    return count;
}

/// The other threads that can continue; those that have yielded only if there is nobody else.
int othersOrYielded(int *list) {
    if (int count = others(list, false)) return count;
    int count = others(list, true);
    for (int i = 0; i < count; i++) threads[list[i]].hasYielded = false;
    return count;
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
    if (bounds.seed) {
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
    int list[maxThreads];
    if (int count = othersOrYielded(list)) return run(list[choose(count)]);
    for (int i = 1; i < threadCount; i++)
        if (!threads[i].isFinished) return fail("deadlock: every thread waits for a lock");
    run(0);
}

void wakeOthers() {
    for (int i = 1; i < threadCount; i++)
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
    if (bounds.seed) path.clear();
    current = 0;
    threadCount = 1;
    clearTrace();
    beginMemory();
    beginRaces();
    preemptions = stale = spurious = leaps = 0;
    steps = 0;
    clockTime = 1000000000;
    for (int i = 0; i < maxThreads; i++) {
        Thread &thread = threads[i];
        thread.isFinished = thread.hasYielded = false;
        thread.awaited = nullptr;
        thread.view.count = 0;
        thread.clock.clear();
        thread.clock.time[i] = 1;
        thread.ignored = 0;
        thread.depth = 0;
        thread.marks = nullptr;
        thread.subscribing = nullptr;
    }
}

void model_spawn(void (*body)(void *), void *context) {
    if (threadCount >= maxThreads) return fail("too many threads");
    Thread &thread = threads[threadCount];
    thread.body = body;
    thread.context = context;
    prepare(thread.coroutine, stacks[threadCount], stackSize, beginThread);
    threadCount++;
}

void model_run(void) {
    if (hasFailed || threadCount == 1) return;
    for (int i = 1; i < threadCount; i++) {
        threads[i].view = threads[0].view;
        threads[i].clock.join(threads[0].clock);
    }
    threads[0].clock.time[0]++;
    int first = 1 + choose(threadCount - 1);
    isRunning = true;
    run(first);
    isRunning = false;
    if (hasFailed) return;
    for (int i = 1; i < threadCount; i++) {
        threads[0].view.join(threads[i].view);
        threads[0].clock.join(threads[i].clock);
    }
}

int model_end_execution(void) {
    outcome.executions++;
    outcome.steps += steps;
    if ((int)path.size() > outcome.choices) outcome.choices = (int)path.size();
    if (hasFailed) return 0;
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
    int list[maxThreads];
    if (int count = othersOrYielded(list)) {
        me().hasYielded = true;
        run(list[choose(count)]);
    }
}

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
void *model_marks(void) { return me().marks; }
void model_set_marks(void *marks) { me().marks = marks; }
const void *model_subscribing(void) { return me().subscribing; }
const void *model_subscribe_for(const void *run) {
    const void *outer = me().subscribing;
    me().subscribing = run;
    return outer;
}

}
