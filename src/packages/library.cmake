# How a library of simdbloom is built and installed. Installed itself, for adapters that are built
# alone (src/adapters/README.md).
include(GNUInstallDirs)

set(simdbloom_package_files ${CMAKE_CURRENT_LIST_DIR})
# What is exported, export.hpp says. Before 1.0 a minor version may change the interface.
string(REGEX REPLACE "[.][0-9]+$" "" simdbloom_soversion ${simdbloom_VERSION})
set(simdbloom_properties CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
  VERSION ${simdbloom_VERSION} SOVERSION ${simdbloom_soversion} INSTALL_RPATH "$ORIGIN"
  ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

# simdbloom_install(TARGET COMPONENT [FILE]): installs the library, what runs of it as COMPONENT and
# the rest as COMPONENT_development. CMake's FILE has the target, its own if there is none given. In
# Debian's packages a static library of the same objects stands beside the shared one.
function(simdbloom_install target component)
  set(export ${target}Targets)
  if(ARGC GREATER 2)
    set(export ${ARGV2})
  endif()
  install(TARGETS ${target} EXPORT ${export}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component}_development
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component}
      NAMELINK_COMPONENT ${component}_development)
  if(export STREQUAL "${target}Targets")
    install(EXPORT ${export} NAMESPACE simdbloom:: COMPONENT ${component}_development
      DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/simdbloom)
  endif()
  get_target_property(type ${target} TYPE)
  if(SIMDBLOOM_PACKAGES AND type STREQUAL "SHARED_LIBRARY")
    add_library(${target}_archive STATIC $<TARGET_OBJECTS:${target}>
      $<TARGET_GENEX_EVAL:${target},$<TARGET_PROPERTY:${target},SIMDBLOOM_KERNELS>>)
    set_target_properties(${target}_archive PROPERTIES
      OUTPUT_NAME ${target} ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
    install(TARGETS ${target}_archive
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component}_development)
  endif()
endfunction()

# simdbloom_pkg_config(NAME COMPONENT REQUIRES CFLAGS LIBS DESCRIPTION): installs NAME.pc, which
# requires each of REQUIRES in this version. Its folders are relative to its own, so that an
# installed library may be moved as a whole.
function(simdbloom_pkg_config name component requires cflags libs description)
  cmake_path(IS_ABSOLUTE CMAKE_INSTALL_LIBDIR libdir_is_absolute)
  if(libdir_is_absolute)
    set(prefix ${CMAKE_INSTALL_PREFIX})
  else()
    file(RELATIVE_PATH prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
    string(REGEX REPLACE "(.*[^/])/*$" "\${pcfiledir}/\\1" prefix ${prefix})
  endif()
  set(libdir "\${prefix}")
  cmake_path(APPEND libdir ${CMAKE_INSTALL_LIBDIR})
  set(includedir "\${prefix}")
  cmake_path(APPEND includedir ${CMAKE_INSTALL_INCLUDEDIR})
  list(TRANSFORM requires APPEND " = ${simdbloom_VERSION}")
  list(JOIN requires ", " requires)
  configure_file(${simdbloom_package_files}/package.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${component}_development)
endfunction()

# simdbloom_own_folder(TARGET): an adapter includes its own files as "adapters/NAME/FILE", and finds
# them alone too.
function(simdbloom_own_folder target)
  if(NOT TARGET simdbloom)
    cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME name)
    set(own ${CMAKE_CURRENT_BINARY_DIR}/own)
    file(MAKE_DIRECTORY ${own}/adapters)
    file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${own}/adapters/${name} SYMBOLIC)
    target_include_directories(${target} PRIVATE ${own})
  endif()
endfunction()

# simdbloom_library(NAME SOURCES FILE... [NEEDS NAME...] [OWN] [COMPONENT NAME] [ABOUT TEXT]
# [CFLAGS TEXT] [LIBS TEXT] [KERNELS NAME HEADER]): the library simdbloom::NAME over the core and
# what it NEEDS, and simdbloom_NAME.pc with ABOUT, CFLAGS and LIBS. KERNELS are as in
# simdbloom_kernels. Where libraries are shared, its sources go into that of the core unless it is
# its OWN. Public headers of its own are in the folder include.
function(simdbloom_library name)
  cmake_parse_arguments(PARSE_ARGV 1 of "OWN" "ABOUT;CFLAGS;COMPONENT;LIBS" "KERNELS;NEEDS;SOURCES")
  if(NOT of_COMPONENT)
    set(of_COMPONENT library)
  endif()
  set(target simdbloom_${name})
  set(requires)
  set(needs)
  foreach(need ${of_NEEDS})
    if(COMMAND simdbloom_part)
      simdbloom_part(${need})
    endif()
    list(APPEND needs simdbloom::${need})
    list(APPEND requires simdbloom_${need})
  endforeach()
  if(NOT requires)
    set(requires simdbloom)
  endif()
  set(libs "-l${target}${of_LIBS}")
  if(BUILD_SHARED_LIBS AND NOT of_OWN)
    list(TRANSFORM of_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    target_sources(simdbloom PRIVATE ${of_SOURCES})
    set(compiled simdbloom)
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE simdbloom)
    set(requires simdbloom)
    set(libs)
  else()
    add_library(${target} ${of_SOURCES})
    set_target_properties(${target} PROPERTIES ${simdbloom_properties})
    target_link_libraries(${target}
      PUBLIC simdbloom::simdbloom ${needs} PRIVATE $<BUILD_INTERFACE:simdbloom::internal>)
    target_compile_options(${target} PRIVATE ${simdbloom_warnings})
    set(compiled ${target})
  endif()
  if(of_KERNELS)
    simdbloom_kernels(${compiled} ${of_KERNELS})
  endif()
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  simdbloom_own_folder(${target})
  if(NOT TARGET simdbloom::${name})  # an adapter may be built alone where it is installed too
    add_library(simdbloom::${name} ALIAS ${target})
  endif()
  if(IS_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/include)
    target_include_directories(${target}
      PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    install(FILES include/simdbloom/adapters/${name}.hpp
      DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/simdbloom/adapters
      COMPONENT ${of_COMPONENT}_development)
  endif()
  set(export ${target}Targets)
  if(NOT of_OWN)
    set(export simdbloomTargets)
  endif()
  simdbloom_install(${target} ${of_COMPONENT} ${export})
  simdbloom_pkg_config(${target} ${of_COMPONENT}
    "${requires}" "${of_CFLAGS}" "${libs}" "${of_ABOUT}")
endfunction()

# simdbloom_adapter_needs(NAME WHAT PACKAGE FOUND...): returns from the file of the adapter NAME
# where a variable FOUND is false; an error if the adapter was chosen by name.
macro(simdbloom_adapter_needs name what package)
  foreach(found ${ARGN})
    if(NOT ${found})
      if("${name}" IN_LIST SIMDBLOOM_ADAPTERS)
        message(FATAL_ERROR "simdbloom: the adapter ${name} needs ${what} (${package})")
      endif()
      message(STATUS "simdbloom: no adapter ${name}, without ${what} (${package})")
      return()
    endif()
  endforeach()
endmacro()
