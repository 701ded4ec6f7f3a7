/* An example of a peer: a sorted array of the keys. It has no false positives, takes 64 bits a key,
   and finds a key by binary search. */
#include <stdlib.h>
#include <string.h>

#include "simdbloom_peer.h"

struct array {
    uint64_t n, room;
    uint64_t keys[];
};

static void* make(uint64_t n_keys, double bits_per_key, uint64_t seed) {
    (void)bits_per_key, (void)seed;
    if (n_keys > (UINT64_C(1) << 31)) return NULL;
    struct array* a = malloc(sizeof *a + 8 * (size_t)n_keys);
    if (a != NULL) a->n = 0, a->room = n_keys;
    return a;
}

static uint64_t bytes(const void* filter) { return 8 * ((const struct array*)filter)->n; }

static void destroy(void* filter) { free(filter); }

static int contains(const void* filter, uint64_t key) {
    const struct array* a = filter;
    uint64_t first = 0, n = a->n;
    if (n < a->room) {
        while (first < n && a->keys[first] != key) ++first;
        return first < n;
    }
    while (n > 1) {
        const uint64_t half = n / 2;
        first = a->keys[first + half - 1] < key ? first + half : first;
        n -= half;
    }
    return n == 1 && a->keys[first] == key;
}

static int ascending(const void* a, const void* b) {
    const uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return x < y ? -1 : x > y;
}

/* It is sorted when all its keys are there. */
static int insert(void* filter, const uint64_t* keys, size_t n) {
    struct array* a = filter;
    for (size_t i = 0; i < n; ++i) {
        if (a->n == a->room) {
            if (!contains(a, keys[i])) return 1;
            continue; /* inserts are timed with keys that are in */
        }
        a->keys[a->n++] = keys[i];
        if (a->n == a->room) qsort(a->keys, (size_t)a->n, 8, ascending);
    }
    return 0;
}

static uint64_t count(const void* filter, const uint64_t* keys, size_t n) {
    uint64_t found = 0;
    for (size_t i = 0; i < n; ++i) found += (uint64_t)contains(filter, keys[i]);
    return found;
}

static void bitmap(const void* filter, const uint64_t* keys, size_t n, uint8_t* bits) {
    memset(bits, 0, (n + 7) / 8);
    for (size_t i = 0; i < n; ++i) bits[i / 8] |= (uint8_t)(contains(filter, keys[i]) << (i % 8));
}

const struct simdbloom_peer* simdbloom_peer(void) {
    static const struct simdbloom_peer peer = {
        SIMDBLOOM_PEER_VERSION,
        "sorted-array",
        "bench/peers/sorted_array.c",
        64,
        make,
        destroy,
        bytes,
        {insert, contains, count, bitmap, NULL},
        {insert, contains, count, bitmap, NULL},
    };
    return &peer;
}
