#pragma once
// Atomics and locks.

namespace model {

void beginMemory();

}  // namespace model
