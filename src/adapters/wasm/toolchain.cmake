# For cmake --toolchain: Debian's emscripten, with additions to its libc++ 13. xxhash.h is copied
# from /usr/include, because that folder has another C library's headers.
include(/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)
set(wasm_headers ${CMAKE_BINARY_DIR}/headers)
if(NOT EXISTS ${wasm_headers}/xxhash.h AND EXISTS /usr/include/xxhash.h)
  file(MAKE_DIRECTORY ${wasm_headers})
  file(CREATE_LINK /usr/include/xxhash.h ${wasm_headers}/xxhash.h SYMBOLIC)
endif()
set(XXHASH_INCLUDE_DIR ${wasm_headers} CACHE PATH "")
set(lacking ${CMAKE_CURRENT_LIST_DIR}/libcxx13)
set(CMAKE_CXX_FLAGS_INIT "-fwasm-exceptions -isystem ${lacking} -include ${lacking}/lacking.hpp")
