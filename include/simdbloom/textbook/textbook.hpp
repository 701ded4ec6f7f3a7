// What textbooks describe and no system takes for its speed: a table of codes, a Bloom filter with
// hash functions of the user's choice, and the string hashes of the textbooks.
#pragma once

#include "simdbloom/textbook/code_table.hpp"
#include "simdbloom/textbook/scheme_bloom.hpp"
#include "simdbloom/textbook/string_hashes.hpp"
