#include "Races.h"

#include "Search.h"
#include "Trace.h"

#include <cstdio>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace model;

namespace {

/// The most recent accesses to a piece of memory.
struct Accesses {
    long execution;
    int writer;
    uint32_t written, read[maxThreads];
    void *writtenBy, *readBy[maxThreads];
};

/// Adds an access of the current thread, which has to be ordered after those that conflict with it.
void add(Accesses &accesses, bool isWrite, const char *what, void *place) {
    if (accesses.execution != execution) {
        accesses = {};
        accesses.execution = execution;
        accesses.writer = -1;
    }
    auto report = [&](const char *earlier, int other, void *otherPlace) {
        char text[300];
        snprintf(text, sizeof text, "data race on %s: %s by T%d", what, isWrite ? "write" : "read", current);
        std::string message = text;
        if (place) { snprintf(text, sizeof text, " at %p", place); message += text; }
        snprintf(text, sizeof text, " with a %s by T%d", earlier, other);
        message += text;
        if (otherPlace) { snprintf(text, sizeof text, " at %p", otherPlace); message += text; }
        fail(message);
    };
    const Clock &clock = me().clock;
    if (accesses.writer >= 0 && accesses.writer != current && accesses.written > clock.time[accesses.writer])
        return report("write", accesses.writer, accesses.writtenBy);
    if (!isWrite) {
        accesses.read[current] = clock.time[current];
        accesses.readBy[current] = place;
        return;
    }
    for (int i = 0; i < maxThreads; i++)
        if (i != current && accesses.read[i] > clock.time[i]) return report("read", i, accesses.readBy[i]);
    accesses.writer = current;
    accesses.written = clock.time[current];
    accesses.writtenBy = place;
}

struct Block { bool isLiving; Accesses accesses; };
std::vector<Block> heap;
std::vector<size_t> freed;
long living = 0;

size_t block(uintptr_t address) { return address / 8 - 1; }

// The memory of the process, in words: everything within half a gigabyte after the heap's beginning.
constexpr size_t wordCount = size_t(1) << 26;
Accesses *words = nullptr;
char *firstWord = nullptr;

Accesses *word(void *address) {
    if (!words) {
        firstWord = (char *)((uintptr_t)sbrk(0) & ~uintptr_t(0xffffff)) - (size_t(16) << 20);
        words = (Accesses *)mmap(nullptr, wordCount * sizeof(Accesses), PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    size_t index = ((char *)address - firstWord) >> 3;
    return (char *)address < firstWord || index + (1 << 20) >= wordCount ? nullptr : &words[index];
}

}  // namespace

struct model_cell { Accesses accesses; const char *name; };

void model::beginRaces() {
    heap.clear();
    freed.clear();
    living = 0;
}

extern "C" {

model_cell *model_cell_create(const char *name) {
    auto cell = new model_cell();
    cell->name = name;
    return cell;
}

void model_cell_destroy(model_cell *cell) { delete cell; }

void model_cell_access(model_cell *variable, int isWrite) {
    if (!execution) return;
    record(cell, variable->name, isWrite);
    add(variable->accesses, isWrite, variable->name, nullptr);
}

uintptr_t model_allocate(void) {
    size_t index = heap.size();
    if (bounds.reuse && !freed.empty()) {
        index = freed.back();
        freed.pop_back();
        // The allocator orders the deallocation before this.
        heap[index].accesses.execution = 0;
    } else {
        heap.push_back({});
    }
    heap[index].isLiving = true;
    living++;
    record(allocation, nullptr, (index + 1) * 8);
    return (index + 1) * 8;
}

void model_heap_access(uintptr_t address, int isWrite) {
    if (block(address) >= heap.size()) return fail("access to an address that was never allocated");
    if (!heap[block(address)].isLiving) return fail("use of a freed cell");
    add(heap[block(address)].accesses, isWrite, "a cell", nullptr);
}

void model_free(uintptr_t address) {
    if (block(address) >= heap.size() || !heap[block(address)].isLiving) return fail("a cell is freed twice");
    add(heap[block(address)].accesses, true, "a cell that is freed", nullptr);
    heap[block(address)].isLiving = false;
    living--;
    freed.push_back(block(address));
    record(deallocation, nullptr, address);
}

long model_heap_living(void) { return living; }

// What the library's instrumented code calls.
void model_ignore(int change) { me().ignored += change; }

void model_plain_access(void *address, size_t size, int isWrite, void *place) {
    if (!execution || hasFailed || me().ignored > 0) return;
    Accesses *first = word(address);
    if (!first) return;
    size_t count = (((uintptr_t)address & 7) + size + 7) >> 3;
    for (Accesses *accesses = first; accesses < first + count; accesses++)
        add(*accesses, isWrite, "the library's memory", place);
}

/// Memory that is allocated anew has no history.
void model_forget_memory(void *address, size_t size) {
    if (!execution || !words || size > (1 << 20)) return;
    Accesses *first = word(address);
    if (!first) return;
    for (Accesses *accesses = first; accesses < first + ((size + 7) >> 3); accesses++) accesses->execution = 0;
}

}
