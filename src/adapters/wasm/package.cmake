# The npm package, in the folder `simdbloom` of the build folder: simdbloom.wasm with the
# JavaScript of emscripten, module.js, and the files of package/.
add_executable(simdbloom_wasm wasm/module.cpp)
target_include_directories(simdbloom_wasm PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(simdbloom_wasm PRIVATE simdbloom)
target_compile_options(simdbloom_wasm PRIVATE ${simdbloom_warnings})
target_link_options(simdbloom_wasm PRIVATE -fwasm-exceptions --no-entry
  -sMODULARIZE -sEXPORT_ES6 -sEXPORT_NAME=createModule -sENVIRONMENT=web
  -sWASM_BIGINT -sALLOW_MEMORY_GROWTH -sINCOMING_MODULE_JS_API=wasmBinary
  -sEXPORTED_FUNCTIONS=_malloc,_free)
# Emscripten's scripts take their modules from Debian's packages, where a Node.js that is not
# Debian's does not look.
set_target_properties(simdbloom_wasm PROPERTIES
  RULE_LAUNCH_LINK "${CMAKE_COMMAND} -E env NODE_PATH=/usr/share/nodejs")
set(npm_package ${PROJECT_BINARY_DIR}/simdbloom)
set_target_properties(simdbloom_wasm PROPERTIES OUTPUT_NAME module
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/linked)
configure_file(wasm/package/package.json ${npm_package}/package.json @ONLY)
set(npm_sources api.js index.js index.d.ts README.md)
list(TRANSFORM npm_sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/wasm/package/)
add_custom_command(OUTPUT ${npm_package}/simdbloom.wasm
  COMMAND ${CMAKE_COMMAND} -E copy ${npm_sources} ${PROJECT_SOURCE_DIR}/LICENSE ${npm_package}
  COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_BINARY_DIR}/linked/module.js ${npm_package}/module.js
  COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_BINARY_DIR}/linked/module.wasm
    ${npm_package}/simdbloom.wasm
  DEPENDS simdbloom_wasm ${npm_sources} ${PROJECT_SOURCE_DIR}/LICENSE)

# The page: one file, with the module in it.
set(page_sources page/page.html page/page.css page/pictures.js page/page.js)
list(TRANSFORM page_sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/wasm/)
set(inline ${CMAKE_CURRENT_SOURCE_DIR}/wasm/page/inline.mjs)
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/simdbloom.html
  COMMAND node ${inline} ${PROJECT_BINARY_DIR}/simdbloom.html ${page_sources}
    ${npm_package}/simdbloom.wasm ${npm_package}/module.js ${npm_package}/api.js
  DEPENDS ${inline} ${page_sources} ${npm_package}/simdbloom.wasm)
add_custom_target(simdbloom_page ALL
  DEPENDS ${npm_package}/simdbloom.wasm ${PROJECT_BINARY_DIR}/simdbloom.html)
