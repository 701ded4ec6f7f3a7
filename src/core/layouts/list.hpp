// The kernels of every layout.
#pragma once

#include "core/layouts/blocked.hpp"
#include "core/layouts/classic.hpp"
#include "core/layouts/cuckoo.hpp"
#include "core/layouts/dleft.hpp"
#include "core/layouts/register_blocked.hpp"
#include "core/layouts/sector512.hpp"
#include "core/layouts/split.hpp"
#include "core/layouts/zoned512.hpp"
