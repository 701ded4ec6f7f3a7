// The peer of the example with a fault: CHANGE, which tests/checks/report defines.
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
#define simdbloom_peer(x) good_peer(x)
#include "sorted_array.c"
#undef simdbloom_peer
static struct simdbloom_peer peer;
static int no_contains(const void* f, uint64_t key) { return contains(f, key) && key % 64 != 0; }
static int few(const void* f, uint64_t key) { return contains(f, key) && key % 4096 != 1001; }
static uint64_t few_of(const void* f, const uint64_t* keys, size_t n) {
    uint64_t found = 0;
    for (size_t i = 0; i < n; ++i) found += (uint64_t)few(f, keys[i]);
    return found;
}
static void few_bits(const void* f, const uint64_t* keys, size_t n, uint8_t* bits) {
    memset(bits, 0, (n + 7) / 8);
    for (size_t i = 0; i < n; ++i) bits[i / 8] |= (uint8_t)(few(f, keys[i]) << i % 8);
}
static int crash(void* f, const uint64_t* keys, size_t n) { return raise(SIGSEGV); }
static int leave(void* f, const uint64_t* keys, size_t n) { exit(0); }
static void close_all(void) {
    for (int file = 3; file < 99; ++file) close(file);
}
static int closes(void* f, const uint64_t* keys, size_t n) {
    close_all();
    return insert(f, keys, n);
}
static void too_far(const void* f, const uint64_t* keys, size_t n, uint8_t* bits) {
    bitmap(f, keys, n, bits);
    bits[(n + 7) / 8] = 0;
}
static int once(void* f, const uint64_t* keys, size_t n) {
    return ((struct array*)f)->n + n > ((struct array*)f)->room || insert(f, keys, n);
}
static int erase(void* f, const uint64_t* keys, size_t n) {
    struct array* a = f;
    uint64_t *gone = memcpy(malloc(8 * n), keys, 8 * n), left = 0, before = a->n;
    qsort(gone, n, 8, ascending);
    for (uint64_t i = 0; i < before; ++i)
        if (!bsearch(&a->keys[i], gone, n, 8, ascending)) a->keys[left++] = a->keys[i];
    free(gone);
    return (a->n = left) + n != before;
}
static uint64_t too_few(const void* f) { return bytes(f) / 8; }
static uint64_t fewer(const void* f) { return bytes(f) / 4; }
static int is_timed(size_t n) {
    static int calls; /* a process that examines makes fewer such calls */
    return n > 1000 && ++calls > 150;
}
static void zeros(const void* f, const uint64_t* keys, size_t n, uint8_t* bits) {
    is_timed(n) ? (void)memset(bits, 0, (n + 7) / 8) : bitmap(f, keys, n, bits);
}
static void dies(const void* f, const uint64_t* keys, size_t n, uint8_t* bits) {
    is_timed(n) ? (void)raise(SIGSEGV) : bitmap(f, keys, n, bits);
}
static void shuts(const void* f, const uint64_t* keys, size_t n, uint8_t* bits) {
    if (is_timed(n)) close_all();
    bitmap(f, keys, n, bits);
}
static void hangs(const void* f, const uint64_t* keys, size_t n, uint8_t* bits) {
    is_timed(n) ? (void)pause() : bitmap(f, keys, n, bits);
}
static void large(const void* f, const uint64_t* keys, size_t n, uint8_t* bits) {
    n > 1000 ? (void)raise(SIGSEGV) : bitmap(f, keys, n, bits);
}
static void remembers(const void* f, const uint64_t* keys, size_t n, uint8_t* bits) {
    static const uint64_t* seen[999];
    static uint8_t then[999][1 << 14];
    int i = 0;
    while (seen[i] && seen[i] != keys) ++i;
    if (!seen[i] || n < 1024) bitmap(f, keys, n, then[i]);
    seen[i] = n < 1024 ? 0 : keys;
    memcpy(bits, then[i], (n + 7) / 8);
}
static void waits(const void* f, const uint64_t* keys, size_t n, uint8_t* bits) {
    if (n > 1000) poll(0, 0, 1);
    bitmap(f, keys, n, bits);
}
struct work {
    const void* f;
    const uint64_t* keys;
    size_t n;
    uint8_t* bits;
};
static volatile int done;
static void* all(void* given) {
    const struct work* w = given;
    bitmap(w->f, w->keys, w->n, w->bits);
    done = 1;
    return 0;
}
static void* spins(void* none) {
    for (;;) done = 0;
}
static void* with_thread(uint64_t n, double bits, uint64_t seed) {
    pthread_t thread;
    if (pthread_create(&thread, 0, spins, 0) != 0) abort();
    return make(n, bits, seed);
}
static void apart(const void* f, const uint64_t* keys, size_t n, uint8_t* bits) {
    static uint8_t others[1 << 14];
    struct work w = {f, keys, n, others};
    pthread_t thread;
    if (n <= 1000) return bitmap(f, keys, n, bits);
    done = 0;
    if (pthread_create(&thread, 0, all, &w) != 0) abort();
    bitmap(f, keys, n, bits);
    while (!done) sched_yield();
    pthread_detach(thread);
}
const struct simdbloom_peer* simdbloom_peer(void) {
    peer = *good_peer();
    CHANGE
    return &peer;
}
