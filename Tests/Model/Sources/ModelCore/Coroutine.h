#pragma once
// Stacks that a thread switches between.
#include <cstddef>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace model {

#if defined(__x86_64__)
struct Coroutine { void *stackPointer; };
#else
struct Coroutine { ucontext_t context; };
#endif

/// Prepares a coroutine that begins with a function, which must not return.
void prepare(Coroutine &, char *stack, size_t size, void (*entry)());
void switchTo(Coroutine &from, Coroutine &to);

}  // namespace model
