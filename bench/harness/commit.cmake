# cmake -DSOURCE=.. -DHEADER=.. -P commit.cmake: writes the commit that is built into a header, if
# it is another than the one there. "-dirty" if a file that is compiled differs from it.
set(commit unknown)
execute_process(COMMAND git rev-parse --short=7 HEAD WORKING_DIRECTORY ${SOURCE}
  OUTPUT_VARIABLE head ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
if(failed EQUAL 0)
  set(commit ${head})
  execute_process(
    COMMAND git status --porcelain -- CMakeLists.txt include src bench ":!*.md" ":!*.svg"
    WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE changes ERROR_QUIET)
  if(changes)
    string(APPEND commit -dirty)
  endif()
endif()
set(text "#define SIMDBLOOM_COMMIT \"${commit}\"\n")
if(EXISTS ${HEADER})
  file(READ ${HEADER} before)
endif()
if(NOT text STREQUAL "${before}")
  file(WRITE ${HEADER} "${text}")
endif()
