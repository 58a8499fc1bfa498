#include "Search.h"
#include "Trace.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <string>
#include <unistd.h>

using namespace model;

namespace {

/// The most recent accesses to a piece of memory.
struct Accesses {
    long execution;
    int writer;
    uint32_t written, read[maxThreads];
    void *writtenBy, *readBy[maxThreads];
};

/// Where code is: the function, and what `llvm-symbolizer` takes to find its line.
std::string describe(void *place) {
    Dl_info info;
    if (!place || !dladdr(place, &info)) return "";
    char offset[32];
    snprintf(offset, sizeof offset, "0x%zx", (size_t)((char *)place - (char *)info.dli_fbase));
    return std::string(" in ") + (info.dli_sname ? info.dli_sname : "") + " (" + offset + ")";
}

/// Checks that an access of the current thread is ordered after those that conflict with it.
void check(const Accesses &accesses, bool isWrite, const char *what, void *place) {
    if (accesses.execution != execution) return;
    auto report = [&](const char *earlier, int other, void *otherPlace) {
        fail(std::string("data race on ") + what + ": " + (isWrite ? "write" : "read") + " by T" +
             std::to_string(current) + describe(place) + " with a " + earlier + " by T" + std::to_string(other) +
             describe(otherPlace));
    };
    const Clock &clock = me().clock;
    if (accesses.writer >= 0 && accesses.writer != current && accesses.written > clock.time[accesses.writer])
        return report("write", accesses.writer, accesses.writtenBy);
    for (int i = 0; isWrite && i < maxThreads; i++)
        if (i != current && accesses.read[i] > clock.time[i]) return report("read", i, accesses.readBy[i]);
}

void add(Accesses &accesses, bool isWrite, void *place) {
    if (accesses.execution != execution) {
        accesses = {};
        accesses.execution = execution;
        accesses.writer = -1;
    }
    uint32_t now = me().clock.time[current];
    if (isWrite) {
        accesses.writer = current;
        accesses.written = now;
        accesses.writtenBy = place;
    } else {
        accesses.read[current] = now;
        accesses.readBy[current] = place;
    }
}

void checkAndAdd(Accesses &accesses, bool isWrite, const char *what) {
    check(accesses, isWrite, what, nullptr);
    add(accesses, isWrite, nullptr);
}

// The memory of the process, in words of eight bytes. Two members of an object may lie in one, so the accesses to
// different bytes of it are kept apart: a few sets of bytes, of which others are forgotten.
constexpr int setCount = 4;
struct Word {
    long execution;
    uint8_t bytes[setCount];
    Accesses accesses[setCount];
};
constexpr size_t wordCount = size_t(1) << 24;
Word *words = nullptr;
char *firstWord = nullptr;

Word *word(void *address) {
    if (!words) {
        firstWord = (char *)((uintptr_t)sbrk(0) & ~uintptr_t(0xffffff)) - (size_t(16) << 20);
        words = (Word *)mmap(nullptr, wordCount * sizeof(Word), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    size_t index = ((char *)address - firstWord) >> 3;
    return (char *)address < firstWord || index >= wordCount ? nullptr : &words[index];
}

void access(Word &word, uint8_t bytes, bool isWrite, void *place) {
    if (word.execution != execution) {
        word.execution = execution;
        memset(word.bytes, 0, sizeof word.bytes);
    }
    int own = -1;
    for (int i = 0; i < setCount; i++) {
        if (word.bytes[i] & bytes) check(word.accesses[i], isWrite, "the library's memory", place);
        if (own < 0 && (word.bytes[i] == bytes || word.bytes[i] == 0)) own = i;
    }
    if (own < 0) return;
    if (word.bytes[own] == 0) word.accesses[own].execution = 0;
    word.bytes[own] = bytes;
    add(word.accesses[own], isWrite, place);
}

}  // namespace

struct model_cell { Accesses accesses; const char *name; };

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
    checkAndAdd(variable->accesses, isWrite, variable->name);
}

// What the library's instrumented code calls.
void model_ignore(int change) { me().ignored += change; }

void model_plain_access(void *address, size_t size, int isWrite, void *place) {
    if (!execution || hasFailed || me().ignored > 0 || size == 0) return;
    uintptr_t begin = (uintptr_t)address, end = begin + size;
    for (uintptr_t at = begin & ~uintptr_t(7); at < end; at += 8) {
        Word *found = word((void *)at);
        if (!found) return;
        int from = at < begin ? (int)(begin - at) : 0, to = end - at < 8 ? (int)(end - at) : 8;
        access(*found, (uint8_t)((1 << to) - (1 << from)), isWrite, place);
    }
}

/// Memory that is allocated anew has no history.
void model_forget_memory(void *address, size_t size) {
    if (!execution || !words || size > (1 << 20)) return;
    for (size_t at = 0; at < size; at += 8)
        if (Word *found = word((char *)address + at)) found->execution = 0;
}

}
