#pragma once
// Plain accesses, each of which has to be ordered with all that conflict with it.

namespace model {

void beginRaces();

}  // namespace model
