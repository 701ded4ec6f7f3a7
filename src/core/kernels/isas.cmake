# The ISAs of a processor and their flags, the worst ISA first. Installed with the library, for
# adapters that have kernels of their own.
#
# Each ISA is one translation unit compiled with exactly the flags that src/core/dispatch/tiers.cpp
# asks for. Its options follow those of the user and the configuration: -O3 with inlining, and no
# link-time optimisation, exceptions, unity build or precompiled headers. A function left out of
# line would be a weak symbol compiled for one ISA and shared with the others
# (tests/checks/isa_objects). No SLP vectoriser: it packs the stores of single answers through
# shuffles, which made split256 1.36 ns a key instead of 1.19 (AVX-512, 16 KiB).
set(SIMDBLOOM_KERNEL_LEVEL 3 CACHE STRING
  "Optimisation level of the kernels; 1, under sanitizers, compiles in a third of the time")
set(simdbloom_isa_options -O${SIMDBLOOM_KERNEL_LEVEL} -finline -finline-functions -fno-lto
  -fno-exceptions -fno-tree-slp-vectorize $<$<CXX_COMPILER_ID:GNU>:-fno-keep-inline-functions>)
set(simdbloom_isas_of_x86_64 sse42 avx2 avx512 avx512bitalg)
set(simdbloom_isas_of_aarch64 neon)
set(simdbloom_isas_of_wasm simd128)
set(simdbloom_every_isa scalar
  ${simdbloom_isas_of_x86_64} ${simdbloom_isas_of_aarch64} ${simdbloom_isas_of_wasm})
set(simdbloom_isas scalar)
set(scalar_flags -fno-tree-vectorize)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND simdbloom_isas ${simdbloom_isas_of_x86_64})
  set(sse42_flags -msse4.2 -mpopcnt)
  set(avx2_flags ${sse42_flags} -mavx2 -mbmi -mbmi2)
  set(avx512_flags ${avx2_flags} -mavx512f -mavx512cd -mavx512dq -mavx512bw -mavx512vl
    # GCC 12 warns of its own header's _mm512_undefined_epi32()
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
    $<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized>)
  set(avx512bitalg_flags ${avx512_flags} -mavx512ifma -mavx512vbmi -mavx512vbmi2 -mavx512bitalg
    -mgfni)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  list(APPEND simdbloom_isas ${simdbloom_isas_of_aarch64})
elseif(EMSCRIPTEN)
  list(APPEND simdbloom_isas ${simdbloom_isas_of_wasm})
  set(simd128_flags -msimd128)
endif()

# Headers only. Not through find_package(xsimd): Debian's 8.1 links against a library "xtl" that it
# does not bring, and keeps its package file out of sight of a cross build.
if(NOT EMSCRIPTEN AND NOT XSIMD_INCLUDE_DIR)  # src/core/kernels/ops/simd128.hpp is without it
  find_path(XSIMD_INCLUDE_DIR xsimd/xsimd.hpp)
endif()

# simdbloom_kernels(TARGET NAME HEADER): compiles HEADER into TARGET, once for each ISA with its
# flags: the tables NAME of src/core/kernels/table.hpp. Each ISA is a target of its own, because
# Meson gives all files of a target the same flags. What TARGET compiles with comes first.
function(simdbloom_kernels target name header)
  if(NOT EMSCRIPTEN AND NOT XSIMD_INCLUDE_DIR)
    message(FATAL_ERROR "simdbloom: xsimd/xsimd.hpp is not found (Debian: libxsimd-dev). "
      "-DSIMDBLOOM_DEPENDENCIES=fetch downloads it.")
  endif()
  foreach(isa ${simdbloom_isas})
    set(source ${CMAKE_CURRENT_BINARY_DIR}/isa/${isa}.${name}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"core/kernels/ops/${isa}.hpp\"
#include \"${header}\"
SIMDBLOOM_DEFINE_KERNELS(${isa}, ${name})\n")
    set(objects ${target}_${name}_${isa})
    add_library(${objects} OBJECT ${source})
    set_target_properties(${objects} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON
      CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON UNITY_BUILD OFF)
    target_compile_features(${objects} PRIVATE cxx_std_20)
    target_compile_definitions(${objects} PRIVATE $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
    target_compile_options(${objects} PRIVATE $<TARGET_PROPERTY:${target},COMPILE_OPTIONS>
      ${simdbloom_isa_options} ${${isa}_flags})
    target_include_directories(${objects}
      PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
    if(NOT EMSCRIPTEN)
      target_include_directories(${objects} SYSTEM PRIVATE ${XSIMD_INCLUDE_DIR})
    endif()
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
    set_property(TARGET ${target} APPEND PROPERTY SIMDBLOOM_KERNELS $<TARGET_OBJECTS:${objects}>)
  endforeach()
endfunction()
