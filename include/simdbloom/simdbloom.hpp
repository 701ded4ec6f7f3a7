// Everything a user of simdbloom includes.
#pragma once

#include "simdbloom/any_filter.hpp"
#include "simdbloom/build.hpp"
#include "simdbloom/cache_line.hpp"
#include "simdbloom/cardinality.hpp"
#include "simdbloom/classic.hpp"
#include "simdbloom/cuckoo.hpp"
#include "simdbloom/fpr.hpp"
#include "simdbloom/frozen.hpp"
#include "simdbloom/hash.hpp"
#include "simdbloom/isa.hpp"
#include "simdbloom/layout.hpp"
#include "simdbloom/options.hpp"
#include "simdbloom/register_blocked.hpp"
#include "simdbloom/serialize.hpp"
#include "simdbloom/split_block.hpp"
