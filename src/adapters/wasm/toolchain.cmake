# For cmake --toolchain: Debian's emscripten, with additions to its libc++ 13.
include(/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)
set(lacking ${CMAKE_CURRENT_LIST_DIR}/libcxx13)
set(CMAKE_CXX_FLAGS_INIT "-fwasm-exceptions -isystem ${lacking} -include ${lacking}/lacking.hpp")
