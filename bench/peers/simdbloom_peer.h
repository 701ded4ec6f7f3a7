/* A filter of another library in bench/report. bench/peers/README.md says how it is used. C99. */
#ifndef SIMDBLOOM_PEER_H
#define SIMDBLOOM_PEER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SIMDBLOOM_PEER_VERSION 1

/* Calls on a filter. Keys are distinct 64-bit integers, which the filter hashes; or hashes, 64
   random bits each, which it takes as they are. */
struct simdbloom_peer_calls {
    /* Returns 0, or another number if a key finds no place. */
    int (*insert)(void* filter, const uint64_t* keys, size_t n);
    int (*contains)(const void* filter, uint64_t key);
    /* How many of the keys are found, key by key: contains() as your compiler inlines it into a
       loop. NULL: the harness calls contains() for each key, which costs a call more. */
    uint64_t (*count)(const void* filter, const uint64_t* keys, size_t n);
    /* Bit i % 8 of byte i / 8 is 1 if keys[i] is found. Writes (n + 7) / 8 bytes; the bits behind
       the last key are 0. NULL: there is no call for many keys. */
    void (*bitmap)(const void* filter, const uint64_t* keys, size_t n, uint8_t* bits);
    /* Takes out one copy of each key. Returns 0, or another number if a key is not found. NULL:
       insert() leaves a filter as it is that has the keys, and is timed with such keys. */
    int (*erase)(void* filter, const uint64_t* keys, size_t n);
};

struct simdbloom_peer {
    uint32_t version;          /* SIMDBLOOM_PEER_VERSION */
    const char* name;          /* 1 to 40 letters, digits and ._+- */
    const char* origin;        /* what was compiled and how: commit, compiler, flags */
    double least_bits_per_key; /* with fewer, keys find no place; 0: any number will do */
    /* An empty filter for n_keys keys; the seed may be ignored. NULL: it cannot be made. */
    void* (*make)(uint64_t n_keys, double bits_per_key, uint64_t seed);
    void (*destroy)(void* filter);
    uint64_t (*bytes)(const void* filter);    /* what lookups may read */
    struct simdbloom_peer_calls keys, hashes; /* insert is NULL: none of these calls */
};

/* The one symbol that is looked up. The result stays valid. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const struct simdbloom_peer*
simdbloom_peer(void);

#ifdef __cplusplus
}
#endif

#endif
