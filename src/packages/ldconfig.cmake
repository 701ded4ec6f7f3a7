# After cpack: a package of shared libraries asks for ldconfig by a trigger, as Debian wants it;
# CMake 3.25 knows only scripts that call it.
set(work ${CPACK_TOPLEVEL_DIRECTORY}/ldconfig)
foreach(package ${CPACK_PACKAGE_FILES})
  file(REMOVE_RECURSE ${work})
  execute_process(COMMAND dpkg-deb --raw-extract ${package} ${work} COMMAND_ERROR_IS_FATAL ANY)
  if(EXISTS ${work}/DEBIAN/postinst)
    file(REMOVE ${work}/DEBIAN/postinst ${work}/DEBIAN/postrm)
    file(WRITE ${work}/DEBIAN/triggers "activate-noawait ldconfig\n")
    execute_process(COMMAND dpkg-deb --root-owner-group -Z${CPACK_DEBIAN_COMPRESSION_TYPE}
        --build ${work} ${package}
      OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  endif()
endforeach()
