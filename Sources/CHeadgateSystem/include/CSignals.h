// What a handler of signals does: little, for it may interrupt anything.
#ifndef CSIGNALS_H
#define CSIGNALS_H

#include <signal.h>
#include <stdint.h>

/// Prepares for the first signal. Returns -1 and sets errno on failure. Called once, before everything else here.
int headgate_prepare_signals(void);

/// Catches a signal from now on, and returns what was done about it before.
int headgate_catch_signal(int number, struct sigaction *before);

/// Waits until a signal has been caught; may return early, with -1 and EINTR in errno.
int headgate_await_signal(void);

/// Takes the signals caught since the last call: bit 0 is signal 1.
uint64_t headgate_take_signals(void);

#endif
