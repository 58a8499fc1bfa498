// What ThreadSanitizer's instrumentation calls, answered by the model: every plain access of the library's own code to
// the heap is checked against the order of the modelled execution. The library is compiled with that instrumentation,
// and ThreadSanitizer's own runtime isn't linked.
#include "model.h"
#include <cstring>

extern "C" {
void model_plain_access(void *address, size_t size, int isWrite, void *pc);
void model_ignore(int change);

#define PC __builtin_return_address(0)
#define SIZE(n)                                                                                                        \
    void __tsan_read##n(void *p) { model_plain_access(p, n, 0, PC); }                                                  \
    void __tsan_write##n(void *p) { model_plain_access(p, n, 1, PC); }                                                 \
    void __tsan_unaligned_read##n(void *p) { model_plain_access(p, n, 0, PC); }                                        \
    void __tsan_unaligned_write##n(void *p) { model_plain_access(p, n, 1, PC); }                                       \
    void __tsan_read_write##n(void *p) { model_plain_access(p, n, 0, PC); model_plain_access(p, n, 1, PC); }           \
    void __tsan_unaligned_read_write##n(void *p) { model_plain_access(p, n, 0, PC); model_plain_access(p, n, 1, PC); }
SIZE(1) SIZE(2) SIZE(4) SIZE(8) SIZE(16)
void __tsan_vptr_read(void **p) { (void)p; }
void __tsan_vptr_update(void **p, void *v) { (void)p; (void)v; }
void __tsan_read_range(void *p, size_t n) { model_plain_access(p, n, 0, PC); }
void __tsan_write_range(void *p, size_t n) { model_plain_access(p, n, 1, PC); }
void __tsan_func_entry(void *) {}
void __tsan_func_exit(void) {}
void __tsan_init(void) {}
void __tsan_ignore_thread_begin(void) { model_ignore(1); }
void __tsan_ignore_thread_end(void) { model_ignore(-1); }
void __tsan_external_read(void *, void *, void *) {}
void __tsan_external_write(void *, void *, void *) {}
void *__tsan_external_register_tag(const char *) { return nullptr; }
void *__tsan_memcpy(void *d, const void *s, size_t n) {
    model_plain_access((void *)s, n, 0, PC);
    model_plain_access(d, n, 1, PC);
    return memcpy(d, s, n);
}
void *__tsan_memmove(void *d, const void *s, size_t n) {
    model_plain_access((void *)s, n, 0, PC);
    model_plain_access(d, n, 1, PC);
    return memmove(d, s, n);
}
void *__tsan_memset(void *d, int c, size_t n) {
    model_plain_access(d, n, 1, PC);
    return memset(d, c, n);
}
// The library's atomics are model atomics; what is left is the compiler's own.
#define ATOMIC(bits, type)                                                                                             \
    type __tsan_atomic##bits##_load(const volatile type *p, int) { return *p; }                                        \
    void __tsan_atomic##bits##_store(volatile type *p, type v, int) { *p = v; }                                        \
    type __tsan_atomic##bits##_exchange(volatile type *p, type v, int) { type o = *p; *p = v; return o; }              \
    type __tsan_atomic##bits##_fetch_add(volatile type *p, type v, int) { type o = *p; *p = o + v; return o; }         \
    type __tsan_atomic##bits##_fetch_sub(volatile type *p, type v, int) { type o = *p; *p = o - v; return o; }         \
    type __tsan_atomic##bits##_fetch_or(volatile type *p, type v, int) { type o = *p; *p = o | v; return o; }          \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile type *p, type *e, type v, int, int) {                   \
        if (*p == *e) { *p = v; return 1; }                                                                            \
        *e = *p;                                                                                                       \
        return 0;                                                                                                      \
    }                                                                                                                  \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile type *p, type *e, type v, int, int) {                     \
        if (*p == *e) { *p = v; return 1; }                                                                            \
        *e = *p;                                                                                                       \
        return 0;                                                                                                      \
    }                                                                                                                  \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type e, type v, int, int) {                      \
        type o = *p;                                                                                                   \
        if (o == e) *p = v;                                                                                            \
        return o;                                                                                                      \
    }
ATOMIC(8, uint8_t) ATOMIC(16, uint16_t) ATOMIC(32, uint32_t) ATOMIC(64, uint64_t)
void __tsan_atomic_thread_fence(int) {}
void __tsan_atomic_signal_fence(int) {}

#if defined(__GLIBC__)
void model_forget_memory(void *address, size_t size);
void *__libc_malloc(size_t);
void __libc_free(void *);
size_t malloc_usable_size(void *);
void *malloc(size_t size) {
    void *address = __libc_malloc(size);
    if (address) model_forget_memory(address, size);
    return address;
}
void free(void *address) {
    if (address) model_forget_memory(address, malloc_usable_size(address));
    __libc_free(address);
}
#endif
}
