// A kernel has all that it calls compiled into it; with sanitizers that would take minutes a file.
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SIMDBLOOM_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SIMDBLOOM_SANITIZED
#endif
#if defined(SIMDBLOOM_SANITIZED) || !defined(__GNUC__)
#define SIMDBLOOM_KERNEL
#define SIMDBLOOM_UNROLLS false
#else
#ifndef SIMDBLOOM_KERNEL  // empty for tests/mutate/run, which compiles often
#define SIMDBLOOM_KERNEL [[gnu::flatten]]
#endif
#define SIMDBLOOM_UNROLLS true
#endif
