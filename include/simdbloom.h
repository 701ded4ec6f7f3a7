/** @file
 * simdbloom for C, and for languages that call C. src/c/README.md has an example.
 *
 * Errors: a function that can fail returns a simdbloom_status, and simdbloom_error() then has the
 * message with the offending value. No C++ exception leaves a function.
 *
 * Threads: several threads may ask a filter at the same time. Nothing else may happen to the filter
 * meanwhile. */
#ifndef SIMDBLOOM_H
#define SIMDBLOOM_H

#include <stddef.h>
#include <stdint.h>

/* What a shared library exports. CMake and pkg-config define SIMDBLOOM_SHARED where it is one. */
#ifdef SIMDBLOOM_SHARED
#define SIMDBLOOM_C_API __attribute__((visibility("default")))
#else
#define SIMDBLOOM_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** A filter. */
typedef struct simdbloom_filter simdbloom_filter;

/** What became of a call. */
typedef enum {
    SIMDBLOOM_OK = 0,
    /** An argument without meaning, filters that do not fit together, or a null pointer. */
    SIMDBLOOM_INVALID = 1,
    SIMDBLOOM_LENGTH = 2, /**< too little room, a filter that would be too large, or a full one */
    SIMDBLOOM_MEMORY = 3, /**< no memory for the filter, or for what is computed from it */
    SIMDBLOOM_DATA = 4,   /**< the bytes or the file are no filter: treat every key as present */
    SIMDBLOOM_SYSTEM = 5  /**< a file cannot be written, or a thread cannot be started */
} simdbloom_status;

/** The message of the last call on this thread that failed; "" before the first. Valid until the
 * next call that fails. */
SIMDBLOOM_C_API const char* simdbloom_error(void);
/** The version of the library, such as "10.20.3". */
SIMDBLOOM_C_API const char* simdbloom_version(void);

/** How a filter is made. Zeros are the defaults, and so is NULL for the options. */
typedef struct {
    uint64_t seed;         /**< changes the hash of every key */
    const uint8_t* secret; /**< 16 bytes for keyed hashing (SipHash), which keys of an adversary
                            * need; `seed` is not read then. Saved bytes do not have the secret. */
    const char* isa;       /**< "avx2", ..; NULL: the fastest for the filter's size */
    uint64_t max_bytes;    /**< the most bytes that the filter may take; 0: any */
    unsigned fold_levels;  /**< how often the saved filter can be halved: `simdbloom fold`, C++ */
} simdbloom_options;

/** Make a filter of that spec ("split256", "register64:k=5", "growing12", ..) for n_keys keys, with
 * that many bits a key. *filter is written only on success; simdbloom_free frees it. */
SIMDBLOOM_C_API simdbloom_status simdbloom_create(const char* spec, uint64_t n_keys,
                                                  double bits_per_key,
                                                  const simdbloom_options* options,
                                                  simdbloom_filter** filter);
/** The same by the false-positive rate. */
SIMDBLOOM_C_API simdbloom_status simdbloom_create_for_fpr(const char* spec, uint64_t n_keys,
                                                          double fpr,
                                                          const simdbloom_options* options,
                                                          simdbloom_filter** filter);
/** Makes a copy, as simdbloom_create makes a filter. */
SIMDBLOOM_C_API simdbloom_status simdbloom_copy(const simdbloom_filter* from,
                                                simdbloom_filter** filter);
/** Frees a filter or NULL, once: as with free(), a handle that was freed is no handle any more. */
SIMDBLOOM_C_API void simdbloom_free(simdbloom_filter* filter);

/** Insert n 64-bit keys. With hashed != 0 they are well-mixed 64-bit hashes, which are taken as
 * they are. For a Bloom filter `threads` may be more than 1. */
SIMDBLOOM_C_API simdbloom_status simdbloom_insert(simdbloom_filter* filter, const uint64_t* keys,
                                                  size_t n, int hashed, unsigned threads);
/** Inserts text or bytes. */
SIMDBLOOM_C_API simdbloom_status simdbloom_insert_bytes(simdbloom_filter* filter, const void* key,
                                                        size_t length);
/** Erase keys, each as often as it is listed, and write to *erased how many were erased. Never
 * erase a key that was not inserted: where the filter finds it, other keys are lost. A Bloom filter
 * cannot erase (SIMDBLOOM_INVALID). */
SIMDBLOOM_C_API simdbloom_status simdbloom_erase(simdbloom_filter* filter, const uint64_t* keys,
                                                 size_t n, int hashed, size_t* erased);
/** The same of text or bytes. */
SIMDBLOOM_C_API simdbloom_status simdbloom_erase_bytes(simdbloom_filter* filter, const void* key,
                                                       size_t length, size_t* erased);
/** Removes all keys. */
SIMDBLOOM_C_API simdbloom_status simdbloom_clear(simdbloom_filter* filter);

/** Write 1 to *found if the key is found, else 0. */
SIMDBLOOM_C_API simdbloom_status simdbloom_contains(const simdbloom_filter* filter, uint64_t key,
                                                    int* found);
/** The same of text or bytes. */
SIMDBLOOM_C_API simdbloom_status simdbloom_contains_bytes(const simdbloom_filter* filter,
                                                          const void* key, size_t length,
                                                          int* found);
/** Writes to *found how many of the keys are found. */
SIMDBLOOM_C_API simdbloom_status simdbloom_count(const simdbloom_filter* filter,
                                                 const uint64_t* keys, size_t n, int hashed,
                                                 size_t* found);
/** Sets bit i % 8 of byte i / 8 if key i is found and clears it if not. Writes (n + 7) / 8 bytes,
 * and to *found how many of the keys are found. */
SIMDBLOOM_C_API simdbloom_status simdbloom_bitmap(const simdbloom_filter* filter,
                                                  const uint64_t* keys, size_t n, int hashed,
                                                  uint8_t* bitmap, size_t* found);
/** Writes the positions of the keys found, ascending. There must be room for n positions. */
SIMDBLOOM_C_API simdbloom_status simdbloom_select(const simdbloom_filter* filter,
                                                  const uint64_t* keys, size_t n, int hashed,
                                                  uint32_t* positions, size_t* found);
/** For joins: the same for the n_rows rows that `rows` lists, in their order. `out` may be `rows`.
 * A row of n or more is SIMDBLOOM_LENGTH. Bit i % 8 of byte i / 8 of `valid` is 0 if row i is NULL,
 * which joins nothing; without NULLs `valid` may be NULL. */
SIMDBLOOM_C_API simdbloom_status simdbloom_select_rows(const simdbloom_filter* filter,
                                                       const uint64_t* keys, size_t n, int hashed,
                                                       const uint8_t* valid, const uint32_t* rows,
                                                       size_t n_rows, uint32_t* out, size_t* found);

/** The union: into |= from. Both must have one spec, size and seed. */
SIMDBLOOM_C_API simdbloom_status simdbloom_unite(simdbloom_filter* into,
                                                 const simdbloom_filter* from);

/** The number of bytes that simdbloom_save writes. */
SIMDBLOOM_C_API size_t simdbloom_saved_size(const simdbloom_filter* filter);
/** Writes the filter to `bytes`. `size` must be simdbloom_saved_size(filter). */
SIMDBLOOM_C_API simdbloom_status simdbloom_save(const simdbloom_filter* filter, void* bytes,
                                                size_t size);
/** Makes a filter of saved bytes. Of the options `secret`, `isa` and `max_bytes` are read. */
SIMDBLOOM_C_API simdbloom_status simdbloom_load(const void* bytes, size_t size,
                                                const simdbloom_options* options,
                                                simdbloom_filter** filter);
/** Writes the filter to a file, whole or not at all. */
SIMDBLOOM_C_API simdbloom_status simdbloom_save_file(const simdbloom_filter* filter,
                                                     const char* path);
/** The same as simdbloom_load of a file. */
SIMDBLOOM_C_API simdbloom_status simdbloom_load_file(const char* path,
                                                     const simdbloom_options* options,
                                                     simdbloom_filter** filter);

/** The filter as text, such as "split256". This and the next four give "" or 0 for NULL. The text
 * is valid for as long as the filter lives. */
SIMDBLOOM_C_API const char* simdbloom_spec(const simdbloom_filter* filter);
/** The instruction set whose kernels the filter uses, such as "avx512". */
SIMDBLOOM_C_API const char* simdbloom_isa(const simdbloom_filter* filter);
/** Bytes of the bits or the table. */
SIMDBLOOM_C_API size_t simdbloom_size_in_bytes(const simdbloom_filter* filter);
/** The false-positive rate for the number of keys given at creation. NaN if there is no memory for
 * the computation; simdbloom_error() says so then. */
SIMDBLOOM_C_API double simdbloom_expected_fpr(const simdbloom_filter* filter);
/** The same from the bits as they are now. */
SIMDBLOOM_C_API double simdbloom_estimated_fpr(const simdbloom_filter* filter);

/** A bank: filters of many sets, probed with one key (src/bank/README.md). Sets are numbered from
 * 0. A function that fails leaves the bank as it was.
 * @code{.c}
 * const uint64_t sizes[3] = {1000, 10, 0};
 * simdbloom_bank* bank = NULL;
 * if (simdbloom_bank_create_for_fpr(NULL, sizes, 3, 0.001, NULL, &bank) != SIMDBLOOM_OK ||
 *     simdbloom_bank_insert(bank, 1, keys, n, 0) != SIMDBLOOM_OK ||
 *     simdbloom_bank_select(bank, key, sets, &found) != SIMDBLOOM_OK)
 *     fprintf(stderr, "%s\n", simdbloom_error());
 * simdbloom_bank_free(bank);
 * @endcode */
typedef struct simdbloom_bank simdbloom_bank;

/** Make a bank of empty sets; set s is for keys[s] keys, which may be 0. The spec is a layout of
 * bits, "paired512", or NULL for the default. fold_levels of the options is not read. */
SIMDBLOOM_C_API simdbloom_status simdbloom_bank_create(const char* spec, const uint64_t* keys,
                                                       size_t sets, double bits_per_key,
                                                       const simdbloom_options* options,
                                                       simdbloom_bank** bank);
/** The same by the false-positive rate of a set. */
SIMDBLOOM_C_API simdbloom_status simdbloom_bank_create_for_fpr(const char* spec,
                                                               const uint64_t* keys, size_t sets,
                                                               double fpr,
                                                               const simdbloom_options* options,
                                                               simdbloom_bank** bank);
/** Makes a bank of copies of n filters of one layout, size, seed and secret; filter s becomes set
 * s. Of the options `isa` and `max_bytes` are read. SIMDBLOOM_INVALID names the filter that
 * differs. */
SIMDBLOOM_C_API simdbloom_status simdbloom_bank_of(const simdbloom_filter* const* filters, size_t n,
                                                   const simdbloom_options* options,
                                                   simdbloom_bank** bank);
/** Makes a copy. */
SIMDBLOOM_C_API simdbloom_status simdbloom_bank_copy(const simdbloom_bank* from,
                                                     simdbloom_bank** bank);
/** Frees a bank or NULL, once. */
SIMDBLOOM_C_API void simdbloom_bank_free(simdbloom_bank* bank);

/** Inserts keys into a set. SIMDBLOOM_LENGTH for a set that is not there. */
SIMDBLOOM_C_API simdbloom_status simdbloom_bank_insert(simdbloom_bank* bank, size_t set,
                                                       const uint64_t* keys, size_t n, int hashed);
/** The same of text or bytes. */
SIMDBLOOM_C_API simdbloom_status simdbloom_bank_insert_bytes(simdbloom_bank* bank, size_t set,
                                                             const void* key, size_t length);
/** Adds an empty set for so many keys and writes its number to *set. */
SIMDBLOOM_C_API simdbloom_status simdbloom_bank_add_set(simdbloom_bank* bank, uint64_t keys,
                                                        size_t* set);
/** Removes sets from the end, or adds empty ones for so many keys each. SIMDBLOOM_INVALID for 0
 * sets. */
SIMDBLOOM_C_API simdbloom_status simdbloom_bank_resize(simdbloom_bank* bank, size_t sets,
                                                       uint64_t keys);
/** Removes the keys of a set. */
SIMDBLOOM_C_API simdbloom_status simdbloom_bank_clear_set(simdbloom_bank* bank, size_t set);
/** Removes the keys of all sets. */
SIMDBLOOM_C_API simdbloom_status simdbloom_bank_clear(simdbloom_bank* bank);

/** Writes a bitmap a key, simdbloom_bank_bitmap_bytes(bank) bytes each, one behind the other: bit
 * s % 8 of byte s / 8 says whether set s may have the key. */
SIMDBLOOM_C_API simdbloom_status simdbloom_bank_contains(const simdbloom_bank* bank,
                                                         const uint64_t* keys, size_t n, int hashed,
                                                         uint8_t* bitmaps);
/** The bitmap of text or bytes. */
SIMDBLOOM_C_API simdbloom_status simdbloom_bank_contains_bytes(const simdbloom_bank* bank,
                                                               const void* key, size_t length,
                                                               uint8_t* bitmap);
/** Writes the sets that the key is in, ascending, and how many to *found. There must be room for
 * all sets of the bank; if `sets` is NULL, only *found is written. */
SIMDBLOOM_C_API simdbloom_status simdbloom_bank_select(const simdbloom_bank* bank, uint64_t key,
                                                       uint32_t* sets, size_t* found);
/** The same of the sets that at least `least` of the keys are in. */
SIMDBLOOM_C_API simdbloom_status simdbloom_bank_select_sets(const simdbloom_bank* bank,
                                                            const uint64_t* keys, size_t n,
                                                            int hashed, size_t least,
                                                            uint32_t* sets, size_t* found);
/** counts[s] = how many of the keys are in set s. */
SIMDBLOOM_C_API simdbloom_status simdbloom_bank_count_per_set(const simdbloom_bank* bank,
                                                              const uint64_t* keys, size_t n,
                                                              int hashed, uint64_t* counts);

/** The number of bytes that simdbloom_bank_save writes. */
SIMDBLOOM_C_API size_t simdbloom_bank_saved_size(const simdbloom_bank* bank);
/** The same as simdbloom_save of a bank. */
SIMDBLOOM_C_API simdbloom_status simdbloom_bank_save(const simdbloom_bank* bank, void* bytes,
                                                     size_t size);
/** Makes a bank of the bytes of a CompactBank or a FilterBank. */
SIMDBLOOM_C_API simdbloom_status simdbloom_bank_load(const void* bytes, size_t size,
                                                     const simdbloom_options* options,
                                                     simdbloom_bank** bank);
/** Writes the bank to a file, whole or not at all. */
SIMDBLOOM_C_API simdbloom_status simdbloom_bank_save_file(const simdbloom_bank* bank,
                                                          const char* path);
/** The same as simdbloom_bank_load of a file. */
SIMDBLOOM_C_API simdbloom_status simdbloom_bank_load_file(const char* path,
                                                          const simdbloom_options* options,
                                                          simdbloom_bank** bank);
/** Maps a file that no one may write meanwhile: its bits are read where they are. A call that would
 * change the bank is SIMDBLOOM_INVALID; simdbloom_bank_copy makes a bank that can change. */
SIMDBLOOM_C_API simdbloom_status simdbloom_bank_map_file(const char* path,
                                                         const simdbloom_options* options,
                                                         simdbloom_bank** bank);

/** The number of sets. This and the next three give 0 for NULL. */
SIMDBLOOM_C_API size_t simdbloom_bank_sets(const simdbloom_bank* bank);
/** The bytes of a bitmap over the sets: 8 for every 64 sets begun. */
SIMDBLOOM_C_API size_t simdbloom_bank_bitmap_bytes(const simdbloom_bank* bank);
/** Bytes of the bits. */
SIMDBLOOM_C_API size_t simdbloom_bank_size_in_bytes(const simdbloom_bank* bank);
/** The false-positive rate of a set with the keys that it was made for. NaN for a set that is not
 * there, or where simdbloom_expected_fpr is NaN. */
SIMDBLOOM_C_API double simdbloom_bank_expected_fpr(const simdbloom_bank* bank, size_t set);

#ifdef __cplusplus
}
#endif
#endif
