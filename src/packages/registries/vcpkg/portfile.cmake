vcpkg_from_github(
  OUT_SOURCE_PATH SOURCE_PATH
  REPO OWNER/simdbloom
  REF "v${VERSION}"
  SHA512 0
  HEAD_REF main)

# Each feature is an extension.
set(extensions ${FEATURES})
list(REMOVE_ITEM extensions core)
if(NOT extensions)
  set(extensions none)
endif()
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    "-DSIMDBLOOM_EXTENSIONS=${extensions}"
    -DSIMDBLOOM_ADAPTERS=
    -DSIMDBLOOM_BUILD_TESTS=OFF
    -DSIMDBLOOM_BUILD_TOOLS=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/simdbloom)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
