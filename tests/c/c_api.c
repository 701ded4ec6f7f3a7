/* The C header, compiled as C99 and used from it. Prints what fails. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simdbloom.h"

static int failures = 0;
#define CHECK(condition)                                                                        \
    ((condition) ? (void)0                                                                      \
                 : (void)(printf("%s:%d: %s; last error: %s\n", __FILE__, __LINE__, #condition, \
                                 simdbloom_error()),                                            \
                          ++failures))
#define OK(call) CHECK((call) == SIMDBLOOM_OK)
#define FAILS(call, status, text) \
    CHECK((call) == (status) && strstr(simdbloom_error(), (text)) != NULL)

enum { N = 1000 };

static void example(void) {
    uint64_t keys[N];
    size_t found = 0, i;
    for (i = 0; i < N; ++i) keys[i] = i;
    /** Example of ::simdbloom_options. */
    /*! [simdbloom_options] */
    simdbloom_options options = {0};
    simdbloom_filter* filter = NULL;
    options.seed = 7;
    if (simdbloom_create("split256", N, 12, &options, &filter) != SIMDBLOOM_OK ||
        simdbloom_insert(filter, keys, N, 0, 1) != SIMDBLOOM_OK ||
        simdbloom_count(filter, keys, N, 0, &found) != SIMDBLOOM_OK)
        fprintf(stderr, "%s\n", simdbloom_error());
    simdbloom_free(filter);
    /*! [simdbloom_options] */
    CHECK(found == N);
}

static void fill_and_ask(void) {
    uint64_t keys[2 * N];
    uint32_t positions[2 * N], rows[3] = {1999, 0, 7};
    uint8_t bitmap[2 * N / 8], not_7 = 0x7F;
    size_t found = 0, yes_n = 0, i;
    int yes = 0;
    simdbloom_options seed = {0};
    simdbloom_filter *f = NULL, *g = NULL;
    seed.seed = 5;
    for (i = 0; i < 2 * N; ++i) keys[i] = i * UINT64_C(0x9E3779B97F4A7C15);
    OK(simdbloom_create("split256", N, 12.0, &seed, &f));
    CHECK(strcmp(simdbloom_spec(f), "split256") == 0);
    CHECK(simdbloom_size_in_bytes(f) == 1504);
    CHECK(simdbloom_expected_fpr(f) > 0.001 && simdbloom_expected_fpr(f) < 0.02);
    CHECK(simdbloom_estimated_fpr(f) == 0);
    OK(simdbloom_insert(f, keys, N, 0, 1));
    OK(simdbloom_count(f, keys, N, 0, &found));
    CHECK(found == N);
    OK(simdbloom_select(f, keys, 2 * N, 0, positions, &found));
    CHECK(found >= N && found < N + 50 && positions[N - 1] == N - 1);
    OK(simdbloom_bitmap(f, keys, 2 * N, 0, bitmap, &yes_n));
    CHECK(yes_n == found && bitmap[0] == 0xFF && bitmap[N / 8 - 1] == 0xFF);
    /* Of bits that do not fill their last byte. */
    OK(simdbloom_bitmap(f, keys, 11, 0, bitmap, &yes_n));
    CHECK(yes_n == 11 && bitmap[0] == 0xFF && bitmap[1] == 0x07);
    OK(simdbloom_select_rows(f, keys, N, 0, NULL, rows + 1, 2, rows + 1, &found));
    CHECK(found == 2 && rows[1] == 0 && rows[2] == 7);
    OK(simdbloom_select_rows(f, keys, 8, 0, &not_7, rows + 1, 2, rows + 1, &found));
    CHECK(found == 1 && rows[1] == 0);
    OK(simdbloom_contains(f, keys[0], &yes));
    CHECK(yes == 1);
    OK(simdbloom_insert_bytes(f, "hello", 5));
    OK(simdbloom_contains_bytes(f, "hello", 5, &yes));
    CHECK(yes == 1);
    OK(simdbloom_contains_bytes(f, NULL, 0, &yes));

    OK(simdbloom_copy(f, &g));
    OK(simdbloom_insert(g, keys + N, N, 1, 2));
    OK(simdbloom_count(g, keys + N, N, 1, &found));
    CHECK(found == N);
    OK(simdbloom_unite(f, g));
    OK(simdbloom_count(f, keys + N, N, 1, &found));
    CHECK(found == N);
    simdbloom_free(f);
    simdbloom_free(g);
}

static void save_and_load(const char* path) {
    simdbloom_filter *f = NULL, *g = NULL;
    unsigned char* bytes;
    size_t size;
    uint64_t key = 42;
    int yes = 0;
    OK(simdbloom_create_for_fpr("register64", 1000, 0.01, NULL, &f));
    OK(simdbloom_insert(f, &key, 1, 0, 1));
    size = simdbloom_saved_size(f);
    bytes = malloc(size);
    OK(simdbloom_save(f, bytes, size));
    OK(simdbloom_load(bytes, size, NULL, &g));
    OK(simdbloom_contains(g, 42, &yes));
    CHECK(yes == 1);
    simdbloom_free(g);
    g = NULL;
    bytes[size / 2] ^= 1;
    FAILS(simdbloom_load(bytes, size, NULL, &g), SIMDBLOOM_DATA, "checksum");
    CHECK(g == NULL);
    FAILS(simdbloom_save(f, bytes, size - 1), SIMDBLOOM_LENGTH, "");
    free(bytes);
    OK(simdbloom_save_file(f, path));
    OK(simdbloom_load_file(path, NULL, &g));
    simdbloom_free(g);
    remove(path);
    FAILS(simdbloom_load_file(path, NULL, &g), SIMDBLOOM_DATA, path);
    FAILS(simdbloom_save_file(f, "/no/such/folder/filter"), SIMDBLOOM_SYSTEM, "/no/such/folder");
    simdbloom_free(f);
}

static void choose(void) {
    static const uint8_t secret[16] = {1, 2, 3}, other[16] = {1, 2, 4};
    static const char* const specs[] = {"cuckoo12", "growing12"};
    simdbloom_options options = {0};
    simdbloom_filter *f = NULL, *g = NULL;
    uint64_t keys[2] = {42, 43};
    unsigned char bytes[4096];
    size_t found = 0, i;
    options.isa = "scalar";
    for (i = 0; i < 2; ++i) {
        OK(simdbloom_create(specs[i], 100, 20, &options, &f));
        CHECK(strcmp(simdbloom_isa(f), "scalar") == 0);
        OK(simdbloom_insert(f, keys, 2, 0, 1));
        OK(simdbloom_insert_bytes(f, "hello", 5));
        FAILS(simdbloom_erase(f, keys, 1, 0, NULL), SIMDBLOOM_INVALID, "erased");
        OK(simdbloom_erase(f, keys, 1, 0, &found));
        CHECK(found == 1);
        OK(simdbloom_erase(f, keys, 1, 0, &found));
        CHECK(found == 0);
        OK(simdbloom_erase_bytes(f, "hello", 5, &found));
        CHECK(found == 1);
        OK(simdbloom_count(f, keys, 2, 0, &found));
        CHECK(found == 1);
        OK(simdbloom_clear(f));
        OK(simdbloom_count(f, keys, 2, 0, &found));
        CHECK(found == 0);
        simdbloom_free(f);
    }
    options.secret = secret;
    OK(simdbloom_create("split256", 100, 12, &options, &f));
    OK(simdbloom_insert(f, keys, 2, 0, 1));
    OK(simdbloom_save(f, bytes, simdbloom_saved_size(f)));
    FAILS(simdbloom_load(bytes, simdbloom_saved_size(f), NULL, &g), SIMDBLOOM_DATA, "keyed");
    options.secret = other;
    FAILS(simdbloom_load(bytes, simdbloom_saved_size(f), &options, &g), SIMDBLOOM_DATA, "secret");
    options.secret = secret;
    OK(simdbloom_load(bytes, simdbloom_saved_size(f), &options, &g));
    OK(simdbloom_count(g, keys, 2, 0, &found));
    CHECK(found == 2);
    FAILS(simdbloom_erase(f, keys, 1, 0, &found), SIMDBLOOM_INVALID, "split256");
    simdbloom_free(f);
    simdbloom_free(g);
    f = NULL;
    options.isa = "mmx";
    FAILS(simdbloom_create("split256", 100, 12, &options, &f), SIMDBLOOM_INVALID, "mmx");
    options.isa = NULL;
    options.max_bytes = 64;
    FAILS(simdbloom_create("split256", 100, 12, &options, &f), SIMDBLOOM_LENGTH, "64");
    CHECK(f == NULL && strcmp(simdbloom_isa(NULL), "") == 0);
}

static void refuse(void) {
    simdbloom_filter *f = NULL, *cuckoo = NULL;
    uint64_t key = 1;
    uint32_t row = 1, out;
    size_t found;
    int yes;
    FAILS(simdbloom_create("splat", 10, 8, NULL, &f), SIMDBLOOM_INVALID, "splat");
    FAILS(simdbloom_create(NULL, 10, 8, NULL, &f), SIMDBLOOM_INVALID, "spec");
    FAILS(simdbloom_create("split256", 10, 8, NULL, NULL), SIMDBLOOM_INVALID, "filter");
    CHECK(f == NULL);
    FAILS(simdbloom_contains(NULL, 1, &yes), SIMDBLOOM_INVALID, "filter");
    OK(simdbloom_create("split256", 10, 8, NULL, &f));
    OK(simdbloom_create("cuckoo8", 100, 10, NULL, &cuckoo));
    FAILS(simdbloom_insert(f, NULL, 1, 0, 1), SIMDBLOOM_INVALID, "keys");
    FAILS(simdbloom_insert(f, &key, 1, 0, 0), SIMDBLOOM_INVALID, "0 threads");
    FAILS(simdbloom_contains(f, 1, NULL), SIMDBLOOM_INVALID, "found");
    FAILS(simdbloom_select_rows(f, &key, 1, 0, NULL, &row, 1, &out, &found), SIMDBLOOM_LENGTH,
          "row 1");
    FAILS(simdbloom_unite(f, cuckoo), SIMDBLOOM_INVALID, "cuckoo8");
    simdbloom_free(f);
    simdbloom_free(cuckoo);
    simdbloom_free(NULL);
    CHECK(strcmp(simdbloom_spec(NULL), "") == 0 && simdbloom_size_in_bytes(NULL) == 0);
    CHECK(simdbloom_expected_fpr(NULL) == 0 && simdbloom_estimated_fpr(NULL) == 0);
    CHECK(strcmp(simdbloom_version(), SIMDBLOOM_EXPECTED_VERSION) == 0);
}

static void banks(const char* path) {
    static const uint64_t sizes[3] = {1000, 10, 0};
    uint64_t keys[4] = {1, 2, 3, UINT64_C(1) << 60}, counts[4] = {9, 9, 9, 9};
    uint32_t sets[4] = {9, 9, 9, 9};
    uint8_t bitmaps[4 * 8 + 1], *bytes;
    size_t found = 9, set = 9, size;
    simdbloom_options options = {0};
    /* The example of the header. */
    simdbloom_bank* bank = NULL;
    if (simdbloom_bank_create_for_fpr(NULL, sizes, 3, 0.000001, NULL, &bank) != SIMDBLOOM_OK ||
        simdbloom_bank_insert(bank, 1, keys, 4, 0) != SIMDBLOOM_OK ||
        simdbloom_bank_select(bank, keys[2], sets, &found) != SIMDBLOOM_OK)
        fprintf(stderr, "%s\n", simdbloom_error());
    simdbloom_bank *copy = NULL, *none = NULL;
    CHECK(found == 1 && sets[0] == 1 && sets[1] == 9);
    CHECK(simdbloom_bank_sets(bank) == 3 && simdbloom_bank_bitmap_bytes(bank) == 8);
    CHECK(simdbloom_bank_size_in_bytes(bank) > 2000);
    CHECK(simdbloom_bank_expected_fpr(bank, 0) > 0 && simdbloom_bank_expected_fpr(bank, 2) == 0);
    const double no_set = simdbloom_bank_expected_fpr(bank, 3);
    CHECK(no_set != no_set); /* NaN */
    OK(simdbloom_bank_copy(bank, &copy));
    OK(simdbloom_bank_insert(bank, 2, keys, 2, 0));
    OK(simdbloom_bank_insert_bytes(bank, 0, "hello", 5));
    OK(simdbloom_bank_contains_bytes(bank, "hello", 5, bitmaps));
    CHECK(bitmaps[0] == 1 && bitmaps[7] == 0);
    bitmaps[32] = 0xA5;
    OK(simdbloom_bank_contains(bank, keys, 4, 0, bitmaps));
    CHECK(bitmaps[0] == 6 && bitmaps[8] == 6 && bitmaps[16] == 2 && bitmaps[24] == 2);
    CHECK(bitmaps[1] == 0 && bitmaps[32] == 0xA5);
    OK(simdbloom_bank_count_per_set(bank, keys, 4, 0, counts));
    CHECK(counts[0] == 0 && counts[1] == 4 && counts[2] == 2 && counts[3] == 9);
    OK(simdbloom_bank_select_sets(bank, keys, 4, 0, 3, sets, &found));
    CHECK(found == 1 && sets[0] == 1);
    OK(simdbloom_bank_select(bank, 1, NULL, &found));
    CHECK(found == 2);
    OK(simdbloom_bank_add_set(bank, 100, &set));
    CHECK(set == 3 && simdbloom_bank_sets(bank) == 4);
    OK(simdbloom_bank_insert(bank, 3, keys, 1, 1));
    OK(simdbloom_bank_contains(bank, keys, 1, 1, bitmaps));
    CHECK(bitmaps[0] == 8);
    OK(simdbloom_bank_clear_set(bank, 1));
    OK(simdbloom_bank_select(bank, 1, sets, &found));
    CHECK(found == 1 && sets[0] == 2);
    OK(simdbloom_bank_select(copy, 1, sets, &found));
    CHECK(found == 1 && sets[0] == 1);
    simdbloom_bank_free(copy);
    copy = NULL;

    size = simdbloom_bank_saved_size(bank);
    bytes = malloc(size);
    OK(simdbloom_bank_save(bank, bytes, size));
    FAILS(simdbloom_bank_save(bank, bytes, size - 1), SIMDBLOOM_LENGTH, "");
    OK(simdbloom_bank_load(bytes, size, NULL, &copy));
    OK(simdbloom_bank_select(copy, 2, sets, &found));
    CHECK(found == 1 && sets[0] == 2);
    simdbloom_bank_free(copy);
    bytes[size / 2] ^= 1;
    FAILS(simdbloom_bank_load(bytes, size, NULL, &none), SIMDBLOOM_DATA, "checksum");
    free(bytes);
    OK(simdbloom_bank_save_file(bank, path));
    OK(simdbloom_bank_load_file(path, NULL, &copy));
    CHECK(simdbloom_bank_sets(copy) == 4);
    simdbloom_bank_free(copy);
    remove(path);
    FAILS(simdbloom_bank_load_file(path, NULL, &none), SIMDBLOOM_DATA, path);
    OK(simdbloom_bank_clear(bank));
    OK(simdbloom_bank_select_sets(bank, keys, 4, 0, 1, NULL, &found));
    CHECK(found == 0);

    OK(simdbloom_bank_create("paired512:k=4", sizes, 3, 8, NULL, &none));
    simdbloom_bank_free(none);
    none = NULL;
    FAILS(simdbloom_bank_create("paired512:k=5", sizes, 3, 8, NULL, &none), SIMDBLOOM_INVALID,
          "k=5");
    FAILS(simdbloom_bank_create("cuckoo12", sizes, 3, 8, NULL, &none), SIMDBLOOM_INVALID, "bits");
    FAILS(simdbloom_bank_create(NULL, NULL, 3, 8, NULL, &none), SIMDBLOOM_INVALID, "keys");
    FAILS(simdbloom_bank_create(NULL, sizes, 0, 8, NULL, &none), SIMDBLOOM_INVALID, "sets=0");
    FAILS(simdbloom_bank_create(NULL, sizes, 3, 8, NULL, NULL), SIMDBLOOM_INVALID, "bank");
    options.max_bytes = 64;
    FAILS(simdbloom_bank_create(NULL, sizes, 3, 8, &options, &none), SIMDBLOOM_LENGTH, "64");
    FAILS(simdbloom_bank_insert(bank, 4, keys, 1, 0), SIMDBLOOM_LENGTH, "set 4");
    FAILS(simdbloom_bank_insert(NULL, 0, keys, 1, 0), SIMDBLOOM_INVALID, "bank");
    FAILS(simdbloom_bank_add_set(bank, 1, NULL), SIMDBLOOM_INVALID, "set is NULL");
    CHECK(simdbloom_bank_sets(bank) == 4);
    FAILS(simdbloom_bank_select(bank, 1, sets, NULL), SIMDBLOOM_INVALID, "found");
    FAILS(simdbloom_bank_contains(bank, keys, 1, 0, NULL), SIMDBLOOM_INVALID, "bitmaps");
    FAILS(simdbloom_bank_count_per_set(bank, keys, 1, 0, NULL), SIMDBLOOM_INVALID, "counts");
    CHECK(none == NULL);
    simdbloom_bank_free(bank);
    simdbloom_bank_free(NULL);
    CHECK(simdbloom_bank_sets(NULL) == 0 && simdbloom_bank_bitmap_bytes(NULL) == 0);
    CHECK(simdbloom_bank_size_in_bytes(NULL) == 0 && simdbloom_bank_saved_size(NULL) == 0);
    CHECK(simdbloom_bank_expected_fpr(NULL, 0) == 0);
}

static void banks_of_filters(const char* path) {
    uint64_t keys[4] = {1, 2, 3, 4}, counts[2];
    uint32_t sets[100];
    size_t found = 9, i;
    simdbloom_options options = {0};
    simdbloom_filter *filters[3], *other = NULL;
    simdbloom_bank *bank = NULL, *mapped = NULL, *copy = NULL, *none = NULL;
    for (i = 0; i < 3; ++i) {
        OK(simdbloom_create("split256", 100, 30, NULL, &filters[i]));
        OK(simdbloom_insert(filters[i], keys + i, 2, 0, 1));
    }
    const simdbloom_filter* all[3] = {filters[0], filters[1], filters[2]};
    OK(simdbloom_bank_of(all, 3, NULL, &bank));
    OK(simdbloom_bank_select(bank, 3, sets, &found));
    CHECK(found == 2 && sets[0] == 1 && sets[1] == 2);
    CHECK(simdbloom_bank_expected_fpr(bank, 2) == simdbloom_expected_fpr(filters[2]));

    OK(simdbloom_bank_save_file(bank, path));
    OK(simdbloom_bank_map_file(path, NULL, &mapped));
    remove(path);
    OK(simdbloom_bank_select(mapped, 2, sets, &found));
    CHECK(found == 2 && sets[0] == 0 && sets[1] == 1);
    FAILS(simdbloom_bank_insert(mapped, 0, keys, 1, 0), SIMDBLOOM_INVALID, "view");
    FAILS(simdbloom_bank_resize(mapped, 3, 1), SIMDBLOOM_INVALID, "view");
    FAILS(simdbloom_bank_clear(mapped), SIMDBLOOM_INVALID, "view");
    OK(simdbloom_bank_copy(mapped, &copy));
    simdbloom_bank_free(mapped);
    OK(simdbloom_bank_resize(copy, 100, 100));
    OK(simdbloom_bank_insert(copy, 99, keys, 1, 0));
    OK(simdbloom_bank_select(copy, 1, sets, &found));
    CHECK(found == 2 && sets[0] == 0 && sets[1] == 99);
    OK(simdbloom_bank_resize(copy, 2, 0));
    CHECK(simdbloom_bank_sets(copy) == 2);
    OK(simdbloom_bank_count_per_set(copy, keys, 4, 0, counts));
    CHECK(counts[0] == 2 && counts[1] == 2);
    FAILS(simdbloom_bank_resize(copy, 0, 1), SIMDBLOOM_INVALID, "sets=0");
    simdbloom_bank_free(copy);

    FAILS(simdbloom_bank_map_file(path, NULL, &none), SIMDBLOOM_DATA, path);
    FAILS(simdbloom_bank_map_file(NULL, NULL, &none), SIMDBLOOM_INVALID, "path");
    FAILS(simdbloom_bank_of(all, 0, NULL, &none), SIMDBLOOM_INVALID, "sets=0");
    FAILS(simdbloom_bank_of(NULL, 1, NULL, &none), SIMDBLOOM_INVALID, "filters");
    options.max_bytes = 64;
    FAILS(simdbloom_bank_of(all, 3, &options, &none), SIMDBLOOM_LENGTH, "max_bytes=64");
    all[1] = NULL;
    FAILS(simdbloom_bank_of(all, 3, NULL, &none), SIMDBLOOM_INVALID, "a filter is NULL");
    OK(simdbloom_create("split256", 1000, 30, NULL, &other));
    all[1] = other;
    FAILS(simdbloom_bank_of(all, 3, NULL, &none), SIMDBLOOM_INVALID, "filter 1 has");
    simdbloom_free(other);
    OK(simdbloom_create("growing12", 100, 30, NULL, &other));
    all[1] = other;
    FAILS(simdbloom_bank_of(all, 3, NULL, &none), SIMDBLOOM_INVALID, "growing12");
    simdbloom_free(other);
    CHECK(none == NULL);
    simdbloom_bank_free(bank);
    for (i = 0; i < 3; ++i) simdbloom_free(filters[i]);
}

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    example();
    fill_and_ask();
    save_and_load(argv[1]);
    choose();
    refuse();
    banks(argv[1]);
    banks_of_filters(argv[1]);
    return failures != 0;
}
