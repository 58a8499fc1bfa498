#pragma once
// The operations of one execution, and the places in the sources that they come from.
#include "model.h"

#include <cstdint>

namespace model {

// The first four are those of `model_write_executed`.
enum Kind { load, store, update, compareExchange, lock, unlock, yield, cell, choice, step };

struct Event {
    int8_t thread, kind, order;
    bool isStale, isExchanged;
    int location;
    uint64_t before, after;
    const char *file;
    int line;
    int readFrom;  // the step of the store that was read, or -1
};

/// Adds an event of the current thread.
void record(Event);
void record(Kind, const char *what, uint64_t value);
int stepNumber();
void clearTrace();
void nameLocation(int location, const char *file, int line);
/// Notes that two threads of one execution have used an atomic or a lock that is declared there.
void noteShared(const char *file, int line);
/// The ordering to use at a place.
int ordering(model_place, Kind, int order);

}  // namespace model
