# For a project of CMake: include() this file, and link with simdbloom::simdbloom. What is set here
# are defaults: -D on the command line, or set() before, has its way. With CPM these are the
# arguments of CPMAddPackage(NAME simdbloom ..).
include(FetchContent)
if(POLICY CMP0135)
  cmake_policy(SET CMP0135 NEW)
endif()
set(SIMDBLOOM_DEPENDENCIES fetch CACHE STRING "xsimd and cpu_features: fetch, or find")
set(SIMDBLOOM_EXTENSIONS none CACHE STRING "The extensions to build: none, all, or any;join;..")
set(SIMDBLOOM_ADAPTERS "" CACHE STRING "The adapters to build")
FetchContent_Declare(simdbloom
  URL https://github.com/OWNER/simdbloom/archive/refs/tags/v0.2.0.tar.gz
  URL_HASH SHA256=0000000000000000000000000000000000000000000000000000000000000000)
FetchContent_MakeAvailable(simdbloom)
