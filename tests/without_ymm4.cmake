# For tests/checks/emulated_cpus: QEMU 7.2 takes ymm4 as the index of a gather for no index at all,
# so AVX2 kernels without that register. Those of banks gather nothing.
add_executable(simdbloom_tests_without_ymm4
  EXCLUDE_FROM_ALL $<TARGET_OBJECTS:simdbloom_tests>)
function(without_ymm4 name header)
  set(simdbloom_isas avx2)
  list(TRANSFORM simdbloom_isa_options REPLACE "^-O.*" -O1)
  simdbloom_kernels(simdbloom_tests_without_ymm4 ${name} ${header})
  set_target_properties(simdbloom_tests_without_ymm4_${name}_avx2 PROPERTIES EXCLUDE_FROM_ALL ON)
endfunction()
without_ymm4(kernels core/layouts/make_kernels.hpp)
without_ymm4(fuse_kernels fixed/kernels.hpp)
without_ymm4(growing_kernels growing/kernels.hpp)
without_ymm4(key_set_kernels join/key_set_kernels.hpp)
without_ymm4(leveldb_kernels adapters/leveldb/kernels.hpp)
target_compile_options(simdbloom_tests_without_ymm4
  PRIVATE ${simdbloom_isa_options} ${avx2_flags} -ffixed-xmm4)
target_include_directories(simdbloom_tests_without_ymm4
  PRIVATE ${PROJECT_SOURCE_DIR}/src SYSTEM ${XSIMD_INCLUDE_DIR})
target_link_libraries(simdbloom_tests_without_ymm4
  PRIVATE $<TARGET_PROPERTY:simdbloom_tests,LINK_LIBRARIES>)
