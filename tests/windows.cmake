# What tests/run checks of the program and of simdbloom_core.h on Windows.
foreach(check tool tool_input tool_bank)
  add_test(NAME ${check}
    COMMAND ${checks}/${check} $<TARGET_FILE:simdbloom_tool> ${CMAKE_CROSSCOMPILING_EMULATOR})
endforeach()
# The page's program without the assembler's option; at -O0 vectors go through memory.
file(READ ${PROJECT_SOURCE_DIR}/src/single/README.md page)
string(REGEX REPLACE ".*```c[+][+]\n(.*)\n```.*" "\\1" page "${page}")
file(CONFIGURE OUTPUT page/single.cpp CONTENT "${page}" @ONLY)
add_executable(simdbloom_core_page page/single.cpp)
set_target_properties(simdbloom_core_page PROPERTIES CXX_STANDARD 17)
target_compile_options(simdbloom_core_page PRIVATE -O0)
target_include_directories(simdbloom_core_page PRIVATE ${PROJECT_BINARY_DIR}/single)
add_dependencies(simdbloom_core_page simdbloom_core_header)
add_test(NAME single_page COMMAND simdbloom_core_page)
