/* simdbloom for C, and for languages that call C.
 *
 * Functions that can fail return a simdbloom_status; simdbloom_error() then has the message with
 * the offending value. A filter may be asked by several threads at once; nothing else may happen to
 * it meanwhile. */
#ifndef SIMDBLOOM_H
#define SIMDBLOOM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct simdbloom_filter simdbloom_filter;

typedef enum {
    SIMDBLOOM_OK = 0,
    SIMDBLOOM_INVALID =
        1, /* an argument that means nothing, filters that do not go together, a null pointer */
    SIMDBLOOM_LENGTH = 2, /* too little room, too large a filter, or a full one */
    SIMDBLOOM_MEMORY = 3, /* none for the filter, or for what is computed of it */
    SIMDBLOOM_DATA = 4,   /* bytes or a file that are no filter: every key may be in it */
    SIMDBLOOM_SYSTEM = 5  /* a file that cannot be written, a thread that cannot be started */
} simdbloom_status;

/* Of the last call on this thread that failed; "" before the first. Valid until the next one that
 * fails. */
const char* simdbloom_error(void);
/* "0.1.0" */
const char* simdbloom_version(void);

/* A filter of that spec ("split256", "register64:k=5", ..) for n_keys keys, by its size or by its
 * false-positive rate. `seed` changes the hash of every key. *filter is written only if all went
 * well, and is freed by simdbloom_free (which takes NULL). */
simdbloom_status simdbloom_create(const char* spec, uint64_t n_keys, double bits_per_key,
                                  uint64_t seed, simdbloom_filter** filter);
simdbloom_status simdbloom_create_for_fpr(const char* spec, uint64_t n_keys, double fpr,
                                          uint64_t seed, simdbloom_filter** filter);
simdbloom_status simdbloom_copy(const simdbloom_filter* from, simdbloom_filter** filter);
void simdbloom_free(simdbloom_filter* filter);

/* n 64-bit keys; hashed != 0: they are well-mixed 64-bit hashes, taken as they are. `threads` of a
 * Bloom filter may be more than 1. */
simdbloom_status simdbloom_insert(simdbloom_filter* filter, const uint64_t* keys, size_t n,
                                  int hashed, unsigned threads);
simdbloom_status simdbloom_insert_bytes(simdbloom_filter* filter, const void* key, size_t length);

/* 1 or 0 in *found. */
simdbloom_status simdbloom_contains(const simdbloom_filter* filter, uint64_t key, int* found);
simdbloom_status simdbloom_contains_bytes(const simdbloom_filter* filter, const void* key,
                                          size_t length, int* found);
/* How many of the keys are found. */
simdbloom_status simdbloom_count(const simdbloom_filter* filter, const uint64_t* keys, size_t n,
                                 int hashed, size_t* found);
/* Bit i % 8 of byte i / 8: whether key i is found. Writes (n + 7) / 8 bytes. */
simdbloom_status simdbloom_bitmap(const simdbloom_filter* filter, const uint64_t* keys, size_t n,
                                  int hashed, uint8_t* bitmap);
/* The ascending positions of the keys found; there must be room for n. */
simdbloom_status simdbloom_select(const simdbloom_filter* filter, const uint64_t* keys, size_t n,
                                  int hashed, uint32_t* positions, size_t* found);
/* Of the n_rows rows only, in their order; `out` may be `rows`. A row of n or more is
 * SIMDBLOOM_LENGTH. */
simdbloom_status simdbloom_select_rows(const simdbloom_filter* filter, const uint64_t* keys,
                                       size_t n, int hashed, const uint32_t* rows, size_t n_rows,
                                       uint32_t* out, size_t* found);

/* into |= from; both of one spec, size and seed. */
simdbloom_status simdbloom_unite(simdbloom_filter* into, const simdbloom_filter* from);

/* Bytes that simdbloom_save writes; `size` must be that many. */
size_t simdbloom_saved_size(const simdbloom_filter* filter);
simdbloom_status simdbloom_save(const simdbloom_filter* filter, void* bytes, size_t size);
simdbloom_status simdbloom_load(const void* bytes, size_t size, simdbloom_filter** filter);
simdbloom_status simdbloom_save_file(const simdbloom_filter* filter, const char* path);
simdbloom_status simdbloom_load_file(const char* path, simdbloom_filter** filter);

/* 0 or "" of NULL. The text is valid as long as the filter. */
const char* simdbloom_spec(const simdbloom_filter* filter);
size_t simdbloom_size_in_bytes(const simdbloom_filter* filter);
/* For the number of keys given at creation, and from the bits as they are. NaN where there is no
 * memory to compute them in; simdbloom_error() says so then. */
double simdbloom_expected_fpr(const simdbloom_filter* filter);
double simdbloom_estimated_fpr(const simdbloom_filter* filter);

#ifdef __cplusplus
}
#endif
#endif
