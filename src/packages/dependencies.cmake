# xsimd (headers) and, on x86-64, cpu_features (a library): found where they are installed, or
# downloaded where the user says so. FETCHCONTENT_SOURCE_DIR_XSIMD and .._CPU_FEATURES name sources
# that are there already.
set(SIMDBLOOM_DEPENDENCIES find CACHE STRING
  "xsimd and cpu_features: find installed ones, or fetch the releases of dependencies.cmake")
set_property(CACHE SIMDBLOOM_DEPENDENCIES PROPERTY STRINGS find fetch)
if(NOT SIMDBLOOM_DEPENDENCIES MATCHES "^(find|fetch)$")
  message(FATAL_ERROR
    "simdbloom: SIMDBLOOM_DEPENDENCIES is \"${SIMDBLOOM_DEPENDENCIES}\", not find or fetch")
endif()

# A function, so that what it sets is for the two alone.
function(simdbloom_fetch)
  include(FetchContent)
  if(POLICY CMP0135)
    cmake_policy(SET CMP0135 NEW)
  endif()
  FetchContent_Declare(xsimd
    URL https://github.com/xtensor-stack/xsimd/archive/refs/tags/13.0.0.tar.gz
    URL_HASH SHA256=8bdbbad0c3e7afa38d88d0d484d70a1671a1d8aefff03f4223ab2eb6a41110a3
    SOURCE_SUBDIR include)  # its headers are enough: no CMakeLists.txt is there
  FetchContent_MakeAvailable(xsimd)
  set(XSIMD_INCLUDE_DIR ${xsimd_SOURCE_DIR}/include PARENT_SCOPE)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND SIMDBLOOM_CPU_FEATURES
      AND NOT TARGET CpuFeatures::cpu_features)
    set(BUILD_SHARED_LIBS OFF)
    set(BUILD_TESTING OFF)
    set(BUILD_EXECUTABLE OFF)
    set(ENABLE_INSTALL ON)  # programs that link our static library need it
    set(CMAKE_POSITION_INDEPENDENT_CODE ON)  # our shared library holds it
    FetchContent_Declare(cpu_features
      URL https://github.com/google/cpu_features/archive/refs/tags/v0.9.0.tar.gz
      URL_HASH SHA256=bdb3484de8297c49b59955c3b22dba834401bc2df984ef5cfc17acbe69c5018e)
    FetchContent_MakeAvailable(cpu_features)
  endif()
endfunction()
if(SIMDBLOOM_DEPENDENCIES STREQUAL "fetch" AND NOT EMSCRIPTEN)
  simdbloom_fetch()
endif()
