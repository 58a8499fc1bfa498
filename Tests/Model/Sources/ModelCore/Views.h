#pragma once
// What a thread knows: of atomics, the oldest store that it may still read; of threads, how far they are ordered before.
#include <cstdint>
#include <cstring>

namespace model {

constexpr int maxThreads = 12;  // the first one sets up and checks, the last ones live as long as the process
constexpr int maxLocations = 256;

/// A vector clock.
struct Clock {
    uint32_t time[maxThreads];
    void clear() { memset(time, 0, sizeof time); }
    void join(const Clock &other) {
        for (int i = 0; i < maxThreads; i++)
            if (other.time[i] > time[i]) time[i] = other.time[i];
    }
};

/// A position in the modification order of an atomic, with room between any two for stores that come in between.
typedef int64_t Position;

/// For each atomic, the oldest position that may be read.
struct View {
    Position position[maxLocations];
    int count = 0;

    Position at(int location) const { return location < count ? position[location] : -1; }
    void raise(int location, Position to) {
        while (count <= location) position[count++] = -1;
        if (to > position[location]) position[location] = to;
    }
    void join(const View &other) {
        while (count < other.count) position[count++] = -1;
        for (int i = 0; i < other.count; i++)
            if (other.position[i] > position[i]) position[i] = other.position[i];
    }
    View() {}
    View(const View &other) { *this = other; }
    // Most of the room is unused.
    View &operator=(const View &other) {
        count = other.count;
        memcpy(position, other.position, sizeof(Position) * count);
        return *this;
    }
};

}  // namespace model
