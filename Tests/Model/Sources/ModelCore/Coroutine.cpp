#include "Coroutine.h"

namespace model {

#if defined(__x86_64__)

// Saves what the callee has to preserve. The contexts of the system would save the signal mask, too, with two system
// calls for each switch.
extern "C" void model_switch_stacks(void **from, void *to);
asm(".text\n.globl model_switch_stacks\n.type model_switch_stacks,@function\nmodel_switch_stacks:\n"
    "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
    "movq %rsp,(%rdi)\nmovq %rsi,%rsp\n"
    "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\nret\n");

void prepare(Coroutine &coroutine, char *stack, size_t size, void (*entry)()) {
    void **top = (void **)(stack + size - 64);
    *--top = nullptr;  // the alignment that the entry expects
    *--top = (void *)entry;
    for (int i = 0; i < 6; i++) *--top = nullptr;
    coroutine.stackPointer = top;
}

void switchTo(Coroutine &from, Coroutine &to) { model_switch_stacks(&from.stackPointer, to.stackPointer); }

#else

void prepare(Coroutine &coroutine, char *stack, size_t size, void (*entry)()) {
    getcontext(&coroutine.context);
    coroutine.context.uc_stack.ss_sp = stack;
    coroutine.context.uc_stack.ss_size = size;
    coroutine.context.uc_link = nullptr;
    makecontext(&coroutine.context, entry, 0);
}

void switchTo(Coroutine &from, Coroutine &to) { swapcontext(&from.context, &to.context); }

#endif

}  // namespace model
