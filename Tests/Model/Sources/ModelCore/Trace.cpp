#include "Trace.h"

#include "Search.h"

#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

using namespace model;

namespace {

std::vector<Event> events;
struct Name { const char *file; int line; };
Name locationNames[maxLocations];
std::map<std::string, long> notes;

struct Place { int kind, order, weakened; };
typedef std::tuple<std::string, int, int> PlaceKey;
std::map<PlaceKey, Place> places;
std::map<PlaceKey, int> weakenings;
// By the address of the file's name, of which there is one for each declaration.
std::set<std::pair<const char *, int>> shared;

// Places are found by the address of their file's name: looking at the name itself takes longer than the operation.
struct Slot { model_place place; int weakened; };
constexpr size_t slotCount = 4096;
Slot slots[slotCount];

const char *lastComponent(const char *file) {
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

void print(const Event &event, size_t step) {
    static const char *orders[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
    static const char *kinds[] = {"load", "store", "update", "compare-exchange", "lock", "unlock", "yield", "access",
                                  "choice", "step", "allocate", "free"};
    typedef unsigned long long Word;
    int indentation = event.thread > 0 ? (event.thread - 1) * 4 : 0;
    fprintf(stderr, "%4zu %*sT%d %s", step, indentation, "", event.thread, kinds[event.kind]);
    if (event.kind > compareExchange) {
        if (event.file) fprintf(stderr, " %s", lastComponent(event.file));
        if (event.line) fprintf(stderr, ":%d", event.line);
        if (event.kind > unlock && event.kind != yield) fprintf(stderr, " %llu", (Word)event.after);
        fprintf(stderr, "\n");
        return;
    }
    const Name &name = locationNames[event.location];
    fprintf(stderr, " #%d(%s:%d) %s", event.location, lastComponent(name.file), name.line, orders[event.order]);
    switch (event.kind) {
    case load: fprintf(stderr, " = %llx", (Word)event.before); break;
    case store: fprintf(stderr, " := %llx", (Word)event.after); break;
    case update: fprintf(stderr, " %llx -> %llx", (Word)event.before, (Word)event.after); break;
    default:
        fprintf(stderr, event.isExchanged ? " %llx -> %llx" : " %llx, fails, expected %llx", (Word)event.before,
                (Word)event.after);
    }
    if (event.isStale) fprintf(stderr, " STALE");
    if (event.readFrom >= 0) fprintf(stderr, " from step %d", event.readFrom);
    fprintf(stderr, "  %s:%d\n", lastComponent(event.file), event.line);
}

}  // namespace

void model::record(Event event) { events.push_back(event); }

void model::record(Kind kind, const char *what, uint64_t value) {
    events.push_back({(int8_t)current, (int8_t)kind, 0, false, false, -1, 0, value, what, 0, -1});
}

int model::stepNumber() { return (int)events.size() - 1; }

void model::clearTrace() { events.clear(); }

void model::nameLocation(int location, const char *file, int line) { locationNames[location] = {file, line}; }

void model::noteShared(const char *file, int line) { shared.insert({file, line}); }

int model::ordering(model_place place, Kind kind, int order) {
    size_t index = ((size_t)place.file * 31 + place.line * 131 + place.column * 7) % slotCount;
    while (slots[index].place.file) {
        Slot &slot = slots[index];
        if (slot.place.file == place.file && slot.place.line == place.line && slot.place.column == place.column)
            return slot.weakened < 0 ? order : slot.weakened;
        index = (index + 1) % slotCount;
    }
    PlaceKey key = {place.file, place.line, place.column};
    auto weakening = weakenings.find(key);
    int weakened = weakening == weakenings.end() ? -1 : weakening->second;
    slots[index] = {place, weakened};
    places[key] = {kind, order, weakened};
    return weakened < 0 ? order : weakened;
}

extern "C" {

void model_print_trace(void) {
    for (size_t step = 0; step < events.size(); step++) print(events[step], step);
    fflush(stderr);
}

void model_note(const char *text) {
    if (!hasFailed) notes[text]++;
}

void model_print_notes(void) {
    for (auto &note : notes) printf("    %10ld  %s\n", note.second, note.first.c_str());
    notes.clear();
}

void model_weaken(model_place place, int order) { weakenings[{place.file, place.line, place.column}] = order; }

int model_write_executed(const char *path) {
    FILE *file = fopen(path, "w");
    if (!file) return 0;
    for (auto &[key, place] : places)
        fprintf(file, "place\t%s\t%d\t%d\t%d\t%d\n", std::get<0>(key).c_str(), std::get<1>(key), std::get<2>(key),
                place.kind, place.order);
    for (auto &[name, line] : shared) fprintf(file, "shared\t%s\t%d\n", name, line);
    return fclose(file) == 0;
}

}
