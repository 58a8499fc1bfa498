#include <climits>
#include "Memory.h"

#include "Search.h"
#include "Trace.h"

#include <vector>

using namespace model;

namespace {

constexpr Position gap = Position(1) << 24;

// What a thread learns that acquires a release store, or an update that continues its release sequence.
struct Knowledge { View view; Clock clock; };

struct Store {
    uint64_t value;
    Position position;
    bool isUpdate;
    int32_t step;
    int knowledge;  // an index, or -1
};

}  // namespace

struct model_location {
    uint64_t newest;
    const char *file;
    int line;
    int index;
    long execution;
    Position newestSequential;
    bool isDestroyed;
    int user;  // the thread of this execution that has used it, or -1
    std::vector<Store> order;
};

struct model_mutex {
    int owner;
    long execution;
    const char *file;
    int line;
    int user;
    View view;
    Clock clock;
};

namespace {

int locationCount = 0;
long livingLocations = 0;
// Their elements keep their memory from one execution to the next.
std::vector<Knowledge> knowledge;
int knowledgeCount = 0;
std::vector<model_location *> destroyed;

bool acquires(int order) { return order == MODEL_ACQUIRE || order == MODEL_ACQ_REL || order == MODEL_SEQ_CST; }
bool releases(int order) { return order == MODEL_RELEASE || order == MODEL_ACQ_REL || order == MODEL_SEQ_CST; }

/// Notes that an atomic or a lock is used, and whether by two threads.
template <class Declared> void use(Declared *declared) {
    if (current == 0 || declared->user == current) return;
    if (declared->user > 0) noteShared(declared->file, declared->line);
    declared->user = current;
}

/// Begins an operation: lets others come first, and prepares the history.
void begin(model_location *location) {
    schedule();
    if (location->isDestroyed) return fail(std::string("use of a destroyed atomic of ") + location->file);
    if (location->execution == execution) return use(location);
    location->execution = execution;
    location->user = -1;
    use(location);
    location->index = locationCount++;
    if (location->index >= maxLocations) return fail("too many atomics in one execution");
    nameLocation(location->index, location->file, location->line);
    location->order.clear();
    location->newestSequential = -1;
    // Who can reach an atomic knows its first value.
    location->order.push_back({location->newest, 0, false, -1, -1});
}

/// The oldest position that the thread may read or write behind.
Position oldest(model_location *location, int order) {
    Position position = me().view.at(location->index);
    if (order == MODEL_SEQ_CST && location->newestSequential > position) position = location->newestSequential;
    return position;
}

void acquire(model_location *location, const Store &store, int order) {
    me().view.raise(location->index, store.position);
    if (!acquires(order) || store.knowledge < 0) return;
    me().view.join(knowledge[store.knowledge].view);
    me().clock.join(knowledge[store.knowledge].clock);
}

/// Inserts a store after another one in the modification order.
void insert(model_location *location, size_t after, uint64_t value, int order, bool isUpdate) {
    std::vector<Store> &stores = location->order;
    Store store = {value, 0, isUpdate, stepNumber(), isUpdate ? stores[after].knowledge : -1};
    if (after + 1 == stores.size()) {
        store.position = stores[after].position + gap;
    } else {
        store.position = stores[after].position + (stores[after + 1].position - stores[after].position) / 2;
        if (store.position == stores[after].position) return fail("no room in a modification order");
    }
    me().view.raise(location->index, store.position);
    if (releases(order)) {
        if ((size_t)knowledgeCount == knowledge.size()) knowledge.emplace_back();
        Knowledge &known = knowledge[knowledgeCount];
        known.view = me().view;
        known.clock = me().clock;
        if (store.knowledge >= 0) {
            known.view.join(knowledge[store.knowledge].view);
            known.clock.join(knowledge[store.knowledge].clock);
        }
        store.knowledge = knowledgeCount++;
        me().clock.time[current]++;
    }
    if (order == MODEL_SEQ_CST && store.position > location->newestSequential)
        location->newestSequential = store.position;
    stores.insert(stores.begin() + after + 1, store);
    location->newest = stores.back().value;
    wakeOthers();
}

/// Chooses the store after which a new one comes. An update reads it, so nothing may come between them later.
size_t choosePredecessor(model_location *location, int order) {
    std::vector<Store> &stores = location->order;
    size_t last = stores.size() - 1;
    if (stale >= bounds.stale || !isRunning) return last;
    Position first = oldest(location, order);
    size_t ways[64], count = 0;
    for (size_t i = last; i-- > 0 && count < 64;) {
        if (stores[i].position < first) break;
        if (!stores[i + 1].isUpdate) ways[count++] = i;
    }
    int taken = choose((int)count + 1);
    if (!taken) return last;
    stale++;
    return ways[taken - 1];
}

uint64_t compute(int operation, uint64_t old, uint64_t operand, int bytes, bool isSigned) {
    uint64_t mask = bytes == 8 ? ~uint64_t(0) : (uint64_t(1) << (bytes * 8)) - 1;
    int shift = 64 - bytes * 8;
    auto isLess = [&](uint64_t a, uint64_t b) {
        return isSigned ? (int64_t)(a << shift) < (int64_t)(b << shift) : a < b;
    };
    switch (operation) {
    case MODEL_EXCHANGE: return operand & mask;
    case MODEL_ADD: return (old + operand) & mask;
    case MODEL_SUB: return (old - operand) & mask;
    case MODEL_OR: return (old | operand) & mask;
    case MODEL_AND: return (old & operand) & mask;
    case MODEL_XOR: return (old ^ operand) & mask;
    case MODEL_MIN: return isLess(operand, old) ? operand : old;
    default: return isLess(old, operand) ? operand : old;
    }
}

Event event(Kind kind, model_location *location, int order, uint64_t before, uint64_t after, bool isStale,
            model_place place, int readFrom) {
    return {(int8_t)current, (int8_t)kind, (int8_t)order, isStale, false, location->index, before, after,
            place.file, place.line, readFrom};
}

void unlockedEvent(Kind kind, model_mutex *mutex) {
    record({(int8_t)current, (int8_t)kind, 0, false, false, -1, 0, 0, mutex->file, mutex->line, -1});
}

}  // namespace

void model::beginMemory() {
    locationCount = 0;
    knowledgeCount = 0;
}

extern "C" {

model_location *model_location_create(uint64_t value, const char *file, int line) {
    livingLocations++;
    auto location = new model_location();
    location->newest = value;
    location->file = file;
    location->line = line;
    return location;
}

void model_location_destroy(model_location *location) {
    livingLocations--;
    if (isRunning && !hasFailed) {
        // Kept until the execution has ended, so that a later use is noticed.
        location->isDestroyed = true;
        destroyed.push_back(location);
        return;
    }
    for (auto earlier : destroyed) delete earlier;
    destroyed.clear();
    delete location;
}

long model_living_locations(void) { return livingLocations; }

uint64_t model_load(model_location *location, int order, model_place place) {
    if (!execution) return location->newest;
    begin(location);
    order = ordering(place, load, order);
    std::vector<Store> &stores = location->order;
    size_t read = stores.size() - 1;
    bool isStale = false;
    if (stale < bounds.stale && isRunning) {
        Position first = oldest(location, order);
        int count = 0;
        while (count <= (int)read && stores[read - count].position >= first) count++;
        if (int taken = choose(count)) {
            stale++;
            isStale = true;
            read -= taken;
        }
    }
    Store found = stores[read];
    record(event(load, location, order, found.value, found.value, isStale, place, found.step));
    acquire(location, found, order);
    return found.value;
}

void model_store(model_location *location, uint64_t value, int order, model_place place) {
    if (!execution) {
        location->newest = value;
        return;
    }
    begin(location);
    order = ordering(place, store, order);
    size_t after = choosePredecessor(location, order);
    record(event(store, location, order, 0, value, after + 1 != location->order.size(), place, -1));
    insert(location, after, value, order, false);
}

uint64_t model_update(model_location *location, int operation, uint64_t operand, int bytes, int isSigned, int order,
                      model_place place) {
    if (!execution) {
        uint64_t old = location->newest;
        location->newest = compute(operation, old, operand, bytes, isSigned);
        return old;
    }
    begin(location);
    order = ordering(place, update, order);
    size_t after = choosePredecessor(location, order);
    Store found = location->order[after];
    uint64_t result = compute(operation, found.value, operand, bytes, isSigned);
    record(event(update, location, order, found.value, result, after + 1 != location->order.size(), place, found.step));
    acquire(location, found, order);
    insert(location, after, result, order, true);
    return found.value;
}

int model_compare_exchange(model_location *location, uint64_t expected, uint64_t desired, int isWeak, int order,
                           uint64_t *old, model_place place) {
    if (!execution) {
        *old = location->newest;
        if (*old != expected) return 0;
        location->newest = desired;
        return 1;
    }
    begin(location);
    order = ordering(place, compareExchange, order);
    std::vector<Store> &stores = location->order;
    size_t last = stores.size() - 1, read = last;
    bool failsWithoutCause = false;
    if (isRunning) {
        // It may read an older store: one with another value, or one that no other update has read.
        Position first = oldest(location, order);
        size_t ways[64], count = 0;
        for (size_t i = last; stale < bounds.stale && i-- > 0 && count < 64;) {
            if (stores[i].position < first) break;
            if (stores[i].value != expected || !stores[i + 1].isUpdate) ways[count++] = i;
        }
        bool mayFail = isWeak && spurious < bounds.spurious && stores[last].value == expected;
        size_t taken = choose((int)count + 1 + mayFail);
        if (taken > count) {
            spurious++;
            failsWithoutCause = true;
        } else if (taken) {
            stale++;
            read = ways[taken - 1];
        }
    }
    Store found = stores[read];
    bool isExchanged = found.value == expected && !failsWithoutCause;
    Event entry = event(compareExchange, location, order, found.value, isExchanged ? desired : expected, read != last,
                        place, found.step);
    entry.isExchanged = isExchanged;
    record(entry);
    int failing = order == MODEL_RELEASE ? MODEL_RELAXED : order == MODEL_ACQ_REL ? MODEL_ACQUIRE : order;
    acquire(location, found, isExchanged ? order : failing);
    if (isExchanged) insert(location, read, desired, order, true);
    *old = found.value;
    return isExchanged;
}

int model_sleep(model_location *location, uint64_t expected) {
    if (!execution) return 0;
    begin(location);
    return location->newest == expected && model_park(location, 1);
}

// The atomic may be gone by now: the kernel only compares addresses.
void model_wake(model_location *location) {
    if (!execution) return;
    schedule();
    record(step, "wakes all", model_unpark(location, INT_MAX));
}

model_mutex *model_mutex_create(const char *file, int line) {
    auto mutex = new model_mutex();
    mutex->owner = -1;
    mutex->file = file;
    mutex->line = line;
    return mutex;
}

void model_mutex_destroy(model_mutex *mutex) { delete mutex; }

void model_lock(model_mutex *mutex) {
    if (!execution) return;
    schedule();
    if (mutex->execution != execution) {
        mutex->execution = execution;
        mutex->owner = -1;
        mutex->user = -1;
        mutex->view.count = 0;
        mutex->clock.clear();
    }
    use(mutex);
    while (mutex->owner >= 0) {
        if (mutex->owner == current) return fail("a thread locks a mutex that it holds");
        me().awaited = mutex;
        giveWay();
    }
    mutex->owner = current;
    me().view.join(mutex->view);
    me().clock.join(mutex->clock);
    unlockedEvent(lock, mutex);
}

void model_unlock(model_mutex *mutex) {
    if (!execution) return;
    mutex->owner = -1;
    wakeOthers();
    mutex->view = me().view;
    mutex->clock = me().clock;
    me().clock.time[current]++;
    for (Thread &thread : threads)
        if (thread.awaited == mutex) thread.awaited = nullptr;
    unlockedEvent(unlock, mutex);
}

}
